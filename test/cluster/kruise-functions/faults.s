// An empty file of assembly lets faults.go declare functions without a body.

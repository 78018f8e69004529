module antechamber.dev/test/cluster/webhook-targets/serving

go 1.26.0

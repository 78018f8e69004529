/** Why one of Go's functions returns an error instead of a value; its message is Go's. */
export class GoFault {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

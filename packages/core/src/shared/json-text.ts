/** A value as JSON text. Used for values that are too large to serialise in one turn of the event loop. */
export class JsonText<Value> {
  declare readonly value?: Value;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a value, written already: by whoever has too much of it to write all in one turn. */
export class JsonText<Value> {
  declare readonly value?: Value;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

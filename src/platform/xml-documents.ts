import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** Receives the parts of the documents. */
export interface XmlListener {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

const maxDeclarationLength = 1024;

/** Parses XML incrementally. The text may contain several documents one after another, as runners combine reports. */
export class XmlDocuments {
  readonly #parser: SaxesParser;
  #depth = 0;
  /** The end of the text so far, if it may be the beginning of a declaration. */
  #held = '';

  constructor(listener: XmlListener) {
    // The parser ignores entity declarations, so entity expansion attacks are not possible.
    this.#parser = new SaxesParser({ fragment: true });
    this.#parser.on('error', (error) => {
      throw error;
    });
    this.#parser.on('opentag', (tag) => {
      this.#depth += 1;
      const { name, attributes } = tag as SaxesTagPlain;
      listener.open(name, attributes);
    });
    this.#parser.on('closetag', ({ name }) => {
      this.#depth -= 1;
      listener.close?.(name);
    });
    for (const event of ['text', 'cdata'] as const) this.#parser.on(event, (text) => listener.text?.(text));
  }

  /** Throws if the text is not valid XML. */
  write(text: string): void {
    const all = this.#held + text;
    this.#held = declarationBegun(all);
    for (const piece of all.slice(0, all.length - this.#held.length).split(/(?=<\?xml\s|<!DOCTYPE\s)/)) {
      // A document begins with its declarations or its root element; the parser, in fragment mode, only receives root
      // elements.
      this.#parser.write(this.#depth === 0 ? piece.replace(/^<(?:\?xml\s[^>]*\?|!DOCTYPE\s[^>[]*)>/, '') : piece);
    }
  }

  end(): void {
    this.#parser.write(this.#held);
    this.#parser.close();
  }
}

/** An unfinished declaration at the end of a text, or what may be the beginning of one. */
function declarationBegun(text: string): string {
  const last = text.slice(Math.max(0, text.lastIndexOf('<')));
  const isBegun = /^<(?:\?xml|!DOCTYPE)\s[^>]*$/.test(last) && last.length < maxDeclarationLength;
  const mayBegin = last !== '' && ('<?xml'.startsWith(last) || '<!DOCTYPE'.startsWith(last));
  return isBegun || mayBegin ? last : '';
}

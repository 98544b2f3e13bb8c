import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** Who is told of what stands in documents. */
export interface XmlListener {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

const longestDeclaration = 1024;

/** Reads XML piece by piece. There may be several documents one after the other, as runners pack reports. */
export class XmlDocuments {
  readonly #parser: SaxesParser;
  #depth = 0;
  /** The end of what was written, where a declaration may go on with what comes. */
  #held = '';

  constructor(listener: XmlListener) {
    // Entities of a document's own are not known to it: none can grow.
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

  /** Throws where it is not XML. */
  write(text: string): void {
    const all = this.#held + text;
    this.#held = declarationBegun(all);
    for (const piece of all.slice(0, all.length - this.#held.length).split(/(?=<\?xml\s|<!DOCTYPE\s)/)) {
      // A document begins with its declarations, or with its root; the parser is told of roots alone.
      this.#parser.write(this.#depth === 0 ? piece.replace(/^<(?:\?xml\s[^>]*\?|!DOCTYPE\s[^>[]*)>/, '') : piece);
    }
  }

  end(): void {
    this.#parser.write(this.#held);
    this.#parser.close();
  }
}

/** A declaration at the end of a text that has not ended, or may not have. */
function declarationBegun(text: string): string {
  const last = text.slice(Math.max(0, text.lastIndexOf('<')));
  const isBegun = /^<(?:\?xml|!DOCTYPE)\s[^>]*$/.test(last) && last.length < longestDeclaration;
  const mayBegin = last !== '' && ('<?xml'.startsWith(last) || '<!DOCTYPE'.startsWith(last));
  return isBegun || mayBegin ? last : '';
}

import { type BaseBlock, fromBER, ObjectIdentifier } from 'asn1js';

/** Bytes that are not the ASN.1 they were taken for. */
export class NotDer extends Error {
  override readonly name = 'NotDer';
}

// A signature with a chain of five certificates has some 600 parts, 12 deep.
const limits = { maxDepth: 32, maxNodes: 5000, maxContentLength: 128 * 1024, copyInput: false };

/** One element of an ASN.1 structure; whoever takes it for what it is not gets `NotDer`. */
export class Der {
  readonly #block: BaseBlock;

  constructor(block: BaseBlock) {
    this.#block = block;
  }

  /** Reads bytes that hold one element and nothing else. */
  static read(bytes: Buffer): Der {
    const { offset, result } = fromBER(bytes, limits);
    if (offset !== bytes.length) throw new NotDer(result.error || 'bytes after the end');
    return new Der(result);
  }

  /** Class, form and number as the first byte has them: 0x30 is a sequence, 0xa0 a constructed `[0]`. */
  get tag(): number {
    return this.raw[0] ?? 0;
  }

  /** With tag and length. */
  get raw(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#block.valueBeforeDecodeView;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Without tag and length. */
  get content(): Buffer {
    const { idBlock, lenBlock } = this.#block;
    if (lenBlock.isIndefiniteForm) throw new NotDer('of no definite length');
    return this.raw.subarray(idBlock.blockLength + lenBlock.blockLength);
  }

  /** The parts of a sequence, a set or another constructed element. */
  get parts(): Der[] {
    const { value } = this.#block.valueBlock as { value?: unknown };
    if (!this.#block.idBlock.isConstructed || !Array.isArray(value)) throw new NotDer('has no parts');
    return value.map((block: BaseBlock) => new Der(block));
  }

  /** A part that must be there. */
  at(index: number): Der {
    const found = this.parts[index];
    if (!found) throw new NotDer('a part is missing');
    return found;
  }

  /** Itself, if it has this tag. */
  as(tag: number): Der {
    if (this.tag !== tag) throw new NotDer(`${this.tag} where ${tag} belongs`);
    return this;
  }

  get oid(): string {
    if (!(this.#block instanceof ObjectIdentifier)) throw new NotDer('no object identifier');
    return this.#block.getValue();
  }

  get integer(): bigint {
    const { content } = this.as(0x02);
    if (content.length === 0) throw new NotDer('a number without digits');
    return BigInt.asIntN(content.length * 8, BigInt(`0x${content.toString('hex')}`));
  }

  /** An instant as RFC 5280 has it: in UTC, with seconds, and no fraction of them. */
  get time(): Date {
    const text = this.content.toString('latin1');
    const digits = this.tag === 0x17 ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : this.as(0x18) && text;
    const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits);
    const date = found && new Date(`${found.slice(1, 4).join('-')}T${found.slice(4).join(':')}Z`);
    if (!date || Number.isNaN(date.getTime())) throw new NotDer('no instant');
    return date;
  }
}

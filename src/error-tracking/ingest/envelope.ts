import { MalformedBody, OversizedBody } from './refusal.ts';

/** What the first line of an envelope says; whatever else stands in it is ignored. */
export interface EnvelopeHeader {
  readonly event_id?: unknown;
  readonly dsn?: unknown;
  readonly sent_at?: unknown;
  readonly sdk?: unknown;
}

export interface Envelope {
  readonly header: EnvelopeHeader;
  /** The payload of its event, if it has one. */
  readonly event: Buffer | undefined;
  /** The types of all its items. */
  readonly types: readonly string[];
}

const newline = 0x0a;
const maxItems = 500;
const longestHeader = 256 * 1024;

type State = 'header' | 'item' | 'measured' | 'line' | 'after';

/**
 * Reads an envelope as its bytes come in: a line of JSON, then items, each a line of JSON and a payload that is as long
 * as that line says, or that ends with its line. Of the payloads only that of the event is kept, so that attachments
 * cost no memory. The bytes are never taken for text before they are cut: a length counts bytes.
 */
export class EnvelopeReader {
  readonly #maxEventBytes: number;
  #state: State = 'header';
  #parts: Buffer[] = [];
  #held = 0;
  /** Bytes of a measured payload that are still to come. */
  #left = 0;
  /** The payload that is being read belongs to the event. */
  #wanted = false;
  #header: EnvelopeHeader | undefined;
  #event: Buffer | undefined;
  readonly #types: string[] = [];

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  /** The header, once its line is complete: before the rest is read, for whoever must check the key in it. */
  get header(): EnvelopeHeader | undefined {
    return this.#header;
  }

  /** Takes the next bytes. Throws as soon as they cannot be an envelope, or the event is too large. */
  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#state === 'measured' ? this.#measured(rest) : this.#line(rest);
  }

  /** The whole envelope, when there are no more bytes. */
  end(): Envelope {
    if (this.#state === 'measured') throw new MalformedBody('an item ends before its length');
    if (this.#state === 'header' && this.#held === 0) throw new MalformedBody('empty request body');
    if (this.#state !== 'after') this.#endLine();
    // The last line was the header of an item: its payload is empty, which only a length can forbid.
    if ((this.#state as State) === 'measured') throw new MalformedBody('an item ends before its length');
    if ((this.#state as State) === 'line') this.#endLine();
    return { header: this.#header ?? {}, event: this.#event, types: this.#types };
  }

  #measured(chunk: Buffer): Buffer {
    const taken = chunk.subarray(0, this.#left);
    this.#left -= taken.length;
    if (this.#wanted) this.#hold(taken, this.#maxEventBytes);
    if (this.#left === 0) this.#endPayload('after');
    return chunk.subarray(taken.length);
  }

  #line(chunk: Buffer): Buffer {
    const end = chunk.indexOf(newline);
    const taken = end < 0 ? chunk : chunk.subarray(0, end);
    if (this.#state === 'after') {
      if (taken.length > 0) throw new MalformedBody('an item is longer than its length');
    } else if (this.#state === 'line') {
      if (this.#wanted) this.#hold(taken, this.#maxEventBytes);
    } else this.#hold(taken, longestHeader);
    if (end < 0) return chunk.subarray(chunk.length);
    this.#endLine();
    return chunk.subarray(end + 1);
  }

  #endLine(): void {
    if (this.#state === 'header') {
      this.#header = readObject(this.#release(), 'envelope header');
      this.#state = 'item';
    } else if (this.#state === 'item') {
      const line = this.#release();
      if (!isBlank(line)) this.#begin(readObject(line, 'item header'));
    } else if (this.#state === 'line') this.#endPayload('item');
    else this.#state = 'item';
  }

  #begin({ type, length }: Record<string, unknown>): void {
    if (typeof type !== 'string') throw new MalformedBody('an item has no type');
    if (this.#types.length === maxItems) throw new MalformedBody('too many items');
    this.#types.push(type);
    this.#wanted = type === 'event';
    if (this.#wanted && this.#event !== undefined) throw new MalformedBody('more than one event');
    if (length === undefined || length === null) {
      this.#state = 'line';
      return;
    }
    if (!Number.isSafeInteger(length) || (length as number) < 0) throw new MalformedBody('a length is no number');
    this.#left = length as number;
    if (this.#wanted && this.#left > this.#maxEventBytes) throw new OversizedBody();
    this.#state = 'measured';
    if (this.#left === 0) this.#endPayload('after');
  }

  #endPayload(next: State): void {
    if (this.#wanted) this.#event = this.#release();
    this.#wanted = false;
    this.#state = next;
  }

  #hold(bytes: Buffer, most: number): void {
    this.#held += bytes.length;
    if (this.#held > most) throw new OversizedBody();
    if (bytes.length > 0) this.#parts.push(bytes);
  }

  #release(): Buffer {
    const [first] = this.#parts;
    const whole = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#held = 0;
    return whole;
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}

function readObject(line: Buffer, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    throw new MalformedBody(`${what} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedBody(`${what} is not an object`);
  }
  return value as Record<string, unknown>;
}

import { MalformedBody, OversizedBody } from './refusal.ts';

/** The header line of an envelope; other fields are ignored. */
export interface EnvelopeHeader {
  readonly event_id?: unknown;
  readonly dsn?: unknown;
  readonly sent_at?: unknown;
  readonly sdk?: unknown;
}

export interface Envelope {
  readonly header: EnvelopeHeader;
  /** The payload of the event item, if any. */
  readonly event: Buffer | undefined;
  /** The types of all items. */
  readonly types: readonly string[];
}

const newline = 0x0a;
const maxItems = 500;
const maxHeaderBytes = 256 * 1024;

type State = 'header' | 'item' | 'measured' | 'line' | 'after';

/**
 * A streaming parser for envelopes: a line of JSON, then items, each a line of JSON and a payload with the length given
 * there or ending at a newline. Only the event payload is kept, so that attachments take no memory. Works on bytes,
 * because lengths are in bytes.
 */
export class EnvelopeReader {
  readonly #maxEventBytes: number;
  #state: State = 'header';
  #parts: Buffer[] = [];
  #heldBytes = 0;
  /** Remaining bytes of a payload with a given length. */
  #remaining = 0;
  /** Whether the current payload belongs to the event. */
  #isEvent = false;
  #header: EnvelopeHeader | undefined;
  #event: Buffer | undefined;
  readonly #types: string[] = [];

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  /** The header, available once its line is complete, so that the key in it can be checked before the rest is read. */
  get header(): EnvelopeHeader | undefined {
    return this.#header;
  }

  /** Parses the next chunk. Throws as soon as it is not a valid envelope, or the event is too large. */
  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#state === 'measured' ? this.#measured(rest) : this.#line(rest);
  }

  /** Finishes parsing and returns the envelope. */
  end(): Envelope {
    if (this.#state === 'measured') throw new MalformedBody('an item ends before its length');
    if (this.#state === 'header' && this.#heldBytes === 0) throw new MalformedBody('empty request body');
    if (this.#state !== 'after') this.#endLine();
    // The last line was an item header without a payload, which is valid unless a length is given.
    if ((this.#state as State) === 'measured') throw new MalformedBody('an item ends before its length');
    if ((this.#state as State) === 'line') this.#endLine();
    return { header: this.#header ?? {}, event: this.#event, types: this.#types };
  }

  #measured(chunk: Buffer): Buffer {
    const taken = chunk.subarray(0, this.#remaining);
    this.#remaining -= taken.length;
    if (this.#isEvent) this.#hold(taken, this.#maxEventBytes);
    if (this.#remaining === 0) this.#endPayload('after');
    return chunk.subarray(taken.length);
  }

  #line(chunk: Buffer): Buffer {
    const end = chunk.indexOf(newline);
    const taken = end < 0 ? chunk : chunk.subarray(0, end);
    if (this.#state === 'after') {
      if (taken.length > 0) throw new MalformedBody('an item is longer than its length');
    } else if (this.#state === 'line') {
      if (this.#isEvent) this.#hold(taken, this.#maxEventBytes);
    } else this.#hold(taken, maxHeaderBytes);
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
    this.#isEvent = type === 'event';
    if (this.#isEvent && this.#event !== undefined) throw new MalformedBody('more than one event');
    if (length === undefined || length === null) {
      this.#state = 'line';
      return;
    }
    if (!Number.isSafeInteger(length) || (length as number) < 0) throw new MalformedBody('a length is not a number');
    this.#remaining = length as number;
    if (this.#isEvent && this.#remaining > this.#maxEventBytes) throw new OversizedBody();
    this.#state = 'measured';
    if (this.#remaining === 0) this.#endPayload('after');
  }

  #endPayload(next: State): void {
    if (this.#isEvent) this.#event = this.#release();
    this.#isEvent = false;
    this.#state = next;
  }

  #hold(bytes: Buffer, limit: number): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > limit) throw new OversizedBody();
    if (bytes.length > 0) this.#parts.push(bytes);
  }

  #release(): Buffer {
    const [first] = this.#parts;
    const whole = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#heldBytes = 0;
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

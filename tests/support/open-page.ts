import type { ApiClient } from './server.ts';

/** A server-sent event: fields by name, with data lines joined. */
type LiveEvent = Readonly<Record<string, string>>;

function readEvent(block: string): LiveEvent {
  const event: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== '') event[name] = name in event ? `${event[name]}\n${value}` : value;
  }
  return event;
}

/** Receives server-sent events like a browser page. */
export class OpenPage {
  readonly #events: AsyncGenerator<LiveEvent>;
  readonly #abort: AbortController;
  readonly response: Response;
  /** The raw text received so far. */
  said = '';

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#events = this.#read();
  }

  static async open(server: ApiClient, path: string, cookie?: string, headers: Record<string, string> = {}) {
    const abort = new AbortController();
    const response = await fetch(server.url + path, {
      headers: { accept: 'text/event-stream', ...(cookie && { cookie }), ...headers },
      redirect: 'manual',
      signal: abort.signal,
    });
    return new OpenPage(response, abort);
  }

  async *#read(): AsyncGenerator<LiveEvent> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of this.response.body ?? []) {
      const more = decoder.decode(chunk, { stream: true });
      this.said += more;
      text += more;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.map(readEvent);
    }
  }

  /** Waits for an event with matching data, discarding those before it. */
  async heard(wanted: RegExp): Promise<LiveEvent> {
    for (let next = await this.#events.next(); !next.done; next = await this.#events.next()) {
      if (wanted.test(next.value.data ?? '') || wanted.test(`event ${next.value.event}`)) return next.value;
    }
    throw new Error(`the stream ended without ${wanted}`);
  }

  /** Reads until the server ends the stream. */
  async ended(): Promise<void> {
    while (!(await this.#events.next()).done);
  }

  close(): void {
    this.#abort.abort();
  }
}

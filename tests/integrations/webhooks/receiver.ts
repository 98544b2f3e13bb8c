import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { atEnd } from '../../support/at-end.ts';
import { until } from '../../support/until.ts';

/** A received request. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of what they read
  readonly body: any;
}

/** A webhook receiver; each path has its own list of requests and may have its own response. */
export class Receiver {
  readonly url: string;
  readonly received: Received[] = [];
  readonly behaviour = new Map<string, (response: ServerResponse) => void>();

  constructor(url: string) {
    this.url = url;
  }

  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  /** Waits for a number of requests to a path. */
  async arrived(path: string, count = 1): Promise<Received[]> {
    await until(() => this.at(path).length >= count);
    return this.at(path);
  }

  /** Waits for the first request to a path that matches the predicate. */
  async waitFor(path: string, isIt: (body: Received['body']) => boolean): Promise<Received> {
    await until(() => this.at(path).some(({ body }) => isIt(body)));
    return this.at(path).find(({ body }) => isIt(body)) as Received;
  }
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const raw = await text(request);
    const path = request.url ?? '/';
    receiver.received.push({
      method: request.method ?? '',
      path,
      headers: request.headers,
      raw,
      body: JSON.parse(raw || 'null'),
    });
    const answer = receiver.behaviour.get(path);
    if (answer) answer(response);
    else response.writeHead(200, { 'x-receiver': 'here' }).end('taken');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const receiver = new Receiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return receiver;
}

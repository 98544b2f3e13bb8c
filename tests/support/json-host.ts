import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

/** A request received by the host. */
export interface HostCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A response: a JSON body, or a function that writes the response. */
export type HostReply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json: unknown }
  | ((response: ServerResponse) => void);

/** A fake API host that records its requests. */
export interface JsonHost {
  readonly url: string;
  readonly calls: HostCall[];
}

export function sendReply(response: ServerResponse, reply: HostReply): void {
  if (typeof reply === 'function') {
    reply(response);
    return;
  }
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
  response.end(JSON.stringify(reply.json));
}

/** Starts a fake host until the test file ends. `answer` returns undefined for unknown paths. */
export async function startJsonHost(answer: (call: HostCall, url: string) => HostReply | undefined): Promise<JsonHost> {
  const calls: HostCall[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = {
        method: request.method ?? 'GET',
        path: pathname,
        query: searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      calls.push(call);
      sendReply(response, answer(call, url) ?? { status: 404, json: { message: 'Not Found' } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, calls };
}

/** A page of a list with a `Link` header like hosta. */
export function linkedPage(list: readonly unknown[], { path, query }: HostCall, url: string): HostReply {
  const perPage = Number(query.get('per_page') ?? 30);
  const page = Number(query.get('page') ?? 1);
  const rest = new URLSearchParams(query);
  rest.set('page', String(page + 1));
  const more = page * perPage < list.length;
  const headers: Record<string, string> = more
    ? { link: `<${url}${path}?${rest}>; rel="next", <${url}${path}?page=9>; rel="last"` }
    : {};
  return { headers, json: list.slice((page - 1) * perPage, page * perPage) };
}

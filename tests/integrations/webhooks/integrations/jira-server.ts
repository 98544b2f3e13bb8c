import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { atEnd } from '../../../support/at-end.ts';

interface Asked {
  readonly what: string;
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of what they read
  readonly body: any;
}

/**
 * A fake Jira server with the API that is used: issues with comments, links and transitions, as publicly documented.
 */
export class JiraServer {
  readonly url: string;
  readonly asked: Asked[] = [];
  readonly issues = new Map<string, { resolved: boolean; comments: string[]; links: Map<string, unknown> }>();
  /** Overrides the response status if set. */
  status: number | undefined;
  password = 'sesame';

  constructor(url: string) {
    this.url = url;
  }

  add(...keys: string[]): void {
    for (const key of keys) this.issues.set(key, { resolved: false, comments: [], links: new Map() });
  }

  comments(key: string): string[] {
    return this.issues.get(key)?.comments ?? [];
  }

  answer({ what, authorization, body }: Asked): [number, object?] {
    if (this.status !== undefined) return [this.status];
    const isKnown = [
      `Basic ${Buffer.from(`ada:${this.password}`).toString('base64')}`,
      `Bearer ${this.password}`,
    ].includes(authorization ?? '');
    if (!isKnown) return [401];
    if (what === 'GET /rest/api/2/myself') return [200, { name: 'ada' }];
    const [, method, key = '', rest = ''] = /^(\w+) \/rest\/api\/2\/issue\/([^/?]+)([^?]*)/.exec(what) ?? [];
    const issue = this.issues.get(key);
    if (!issue) return [404, { errorMessages: ['Issue Does Not Exist'] }];
    switch (`${method} ${rest}`) {
      case 'GET ':
        return [200, { key, fields: { resolution: issue.resolved ? { name: 'Done' } : null } }];
      case 'GET /comment':
        return [200, { comments: issue.comments.map((said) => ({ body: said })) }];
      case 'POST /comment':
        issue.comments.push(body.body);
        return [201, { id: '1' }];
      case 'POST /remotelink':
        issue.links.set(body.globalId, body.object);
        return [201, { id: 1 }];
      case 'GET /transitions':
        return [
          200,
          {
            transitions: [
              { id: '11', to: { statusCategory: { key: 'indeterminate' } } },
              { id: '31', to: { statusCategory: { key: 'done' } } },
            ],
          },
        ];
      case 'POST /transitions':
        if (body.transition.id === '31') issue.resolved = true;
        return [204];
      default:
        return [400];
    }
  }
}

export async function startJira(): Promise<JiraServer> {
  const server = createServer(async (request, response) => {
    const raw = await text(request);
    const what = `${request.method} ${request.url}`;
    const asked = { what, authorization: request.headers.authorization, body: JSON.parse(raw || 'null') };
    jira.asked.push(asked);
    const [status, body] = jira.answer(asked);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const jira = new JiraServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return jira;
}

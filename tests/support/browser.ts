import assert from 'node:assert/strict';
import { addUser } from './cast.ts';
import { assertHarmless } from './hostile-texts.ts';
import type { ApiClient, TestServer } from './server.ts';

/** A page as a browser with script off sees it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Fields = Readonly<Record<string, string | string[]>>;

/** A browser that keeps its cookies, follows no redirect by itself and runs no script. */
export class Browser {
  readonly #server: ApiClient;
  readonly #cookies = new Map<string, string>();
  readonly #always: Readonly<Record<string, string>>;

  /** `always` goes with every request. */
  constructor(server: ApiClient, always: Readonly<Record<string, string>> = {}) {
    this.#server = server;
    this.#always = always;
  }

  get cookie(): string | undefined {
    return this.#cookies.size === 0 ? undefined : [...this.#cookies].map((pair) => pair.join('=')).join('; ');
  }

  async #ask(method: string, path: string, headers: Record<string, string>, body?: string | FormData): Promise<Seen> {
    const response = await fetch(this.#server.url + path, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...this.#always,
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  open(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.#ask('GET', path, headers);
  }

  /** Sends a form as it is; a list is a field that comes several times. */
  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Seen> {
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    const pairs = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    return this.#ask('POST', path, form, new URLSearchParams(pairs).toString());
  }

  /** Sends a form with a file in it, the last of its fields. */
  upload(path: string, fields: Record<string, string>, file: Uint8Array, name = 'file'): Promise<Seen> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file)]), name);
    return this.#ask('POST', path, {}, form);
  }

  /** Opens a page and sends its form with the proof that stands in it. */
  async fill(page: string, path: string, fields: Fields): Promise<Seen> {
    return this.post(path, { authenticity_token: tokenIn((await this.open(page)).text), ...fields });
  }

  /** The text of a page that opens, in which nothing that people wrote comes to life. */
  async page(path: string): Promise<string> {
    const { status, text } = await this.open(path);
    assert.equal(status, 200, `${path}: ${status} ${text}`);
    assertHarmless(text, path);
    return text;
  }

  /** Sends the form of a page, which is taken; where it leads. */
  async send(page: string, path: string, fields: Fields = {}): Promise<string> {
    const answer = await this.fill(page, path, fields);
    assert.equal(answer.status, 303, `${path}: ${answer.status} ${answer.text}`);
    return answer.headers.get('location') ?? '';
  }

  signIn(login: string, password: string, more: Record<string, string> = {}): Promise<Seen> {
    return this.post('/users/sign_in', { 'user[login]': login, 'user[password]': password, ...more });
  }
}

export function tokenIn(page: string): string {
  return /name="authenticity_token" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

export const rootPassword = 'correct horse battery';

/** The browser of somebody new who has signed in, and is a member of a project where a role is given. */
export async function browserOfMember(server: TestServer, project: string, level?: number): Promise<Browser> {
  const user = await addUser(server);
  if (level) await server.must(`POST ${project}/members`, { json: { user_id: user.id, access_level: level } });
  const browser = new Browser(server);
  await browser.signIn(user.username, 'long enough 4 you');
  return browser;
}

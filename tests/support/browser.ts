import assert from 'node:assert/strict';
import { addUser } from './cast.ts';
import { assertHarmless } from './hostile-texts.ts';
import type { ApiClient, TestServer } from './server.ts';

/** A page as received by a browser without JavaScript. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Fields = Readonly<Record<string, string | string[]>>;

/** A browser that keeps cookies, does not follow redirects and runs no scripts. */
export class Browser {
  readonly #server: ApiClient;
  readonly #cookies = new Map<string, string>();
  readonly #always: Readonly<Record<string, string>>;

  /** `always` are headers sent with every request. */
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

  /** Submits a form; an array is a repeated field. */
  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Seen> {
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    const pairs = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    return this.#ask('POST', path, form, new URLSearchParams(pairs).toString());
  }

  /** Submits a form with a file as its last field. */
  upload(path: string, fields: Record<string, string>, file: Uint8Array, name = 'file'): Promise<Seen> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file)]), name);
    return this.#ask('POST', path, {}, form);
  }

  /** Opens a page and submits its form with the authenticity token found there. */
  async fill(page: string, path: string, fields: Fields): Promise<Seen> {
    return this.post(path, { authenticity_token: tokenIn((await this.open(page)).text), ...fields });
  }

  /** Opens a page and asserts that no user content in it is active. */
  async page(path: string): Promise<string> {
    const { status, text } = await this.open(path);
    assert.equal(status, 200, `${path}: ${status} ${text}`);
    assertHarmless(text, path);
    return text;
  }

  /** Submits the form of a page, asserts success and returns the redirect target. */
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

/** Creates a signed-in user, who is a member of the project if a role is given. */
export async function browserOfMember(server: TestServer, project: string, level?: number): Promise<Browser> {
  const user = await addUser(server);
  if (level) await server.must(`POST ${project}/members`, { json: { user_id: user.id, access_level: level } });
  const browser = new Browser(server);
  await browser.signIn(user.username, 'long enough 4 you');
  return browser;
}

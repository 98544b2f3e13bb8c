import type { Started } from '../processes.ts';
import { token } from '../seed.ts';

/** Something done to a server that must come to nothing. */
export interface Attack {
  /** Which finding it goes back to. */
  readonly item: number;
  readonly name: string;
  /** Whether it takes no account: then the loop may not be held for longer than 50 ms. */
  readonly anonymous?: boolean;
  /** Of one that takes an account: for how many milliseconds the loop may be held, where that is looked at. */
  readonly loop?: number;
  /** Made ready before anything is measured. */
  prepare?(target: Target): Promise<void>;
  /** Does it and says what came of it; throws where that is not what must come of it. */
  run(target: Target): Promise<string>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** The server that is attacked. */
export class Target {
  readonly server: Started;
  readonly home: string;

  constructor(server: Started, home: string) {
    this.server = server;
    this.home = home;
  }

  /** Asks as nobody, whatever comes back. */
  async ask(call: string, init: Omit<RequestInit, 'method'> = {}): Promise<Answer> {
    const [method = 'GET', path = ''] = call.split(/ (.*)/);
    const answer = await fetch(`${this.server.url}${path}`, { ...init, method, redirect: 'manual' });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }

  /** Asks as an administrator, with a body of JSON. */
  asRoot(call: string, body?: unknown): Promise<Answer> {
    const headers = { 'private-token': token, 'content-type': 'application/json' };
    return this.ask(call, { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  /** Makes something as an administrator, which must succeed. */
  async make(path: string, body: unknown): Promise<{ id: number }> {
    const answer = await this.asRoot(`POST ${path}`, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as { id: number };
  }

  remote(path: string): string {
    return `${this.server.url.replace('://', `://root:${token}@`)}/${path}.git`;
  }
}

/** Fails the attack unless each answer has one of these statuses; says which they had. */
export function statuses(answers: readonly Answer[], ...expected: readonly number[]): string {
  const seen = answers.map(({ status }) => status);
  const wrong = answers.find(({ status }) => !expected.includes(status));
  if (wrong !== undefined) throw new Error(`answered ${wrong.status} ${wrong.text.slice(0, 200)}`);
  const counts = Map.groupBy(seen, (status) => status);
  return [...counts].map(([status, all]) => (all.length === 1 ? `${status}` : `${status} × ${all.length}`)).join(', ');
}

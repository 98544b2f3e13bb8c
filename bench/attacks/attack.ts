import type { Started } from '../processes.ts';
import { token } from '../seed.ts';

/** An attack that the server must withstand. */
export interface Attack {
  /** Number of the finding that it reproduces. */
  readonly item: number;
  readonly name: string;
  /** Whether it needs no account: then it may block the event loop for at most 50 ms. */
  readonly anonymous?: boolean;
  /** Limit for blocking the event loop in milliseconds, for attacks with an account; unset if not checked. */
  readonly loop?: number;
  /** Prepares the attack before the measurement. */
  prepare?(target: Target): Promise<void>;
  /** Runs the attack and describes the outcome; throws if it is not the expected one. */
  run(target: Target): Promise<string>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** The server under attack. */
export class Target {
  readonly server: Started;
  readonly home: string;

  constructor(server: Started, home: string) {
    this.server = server;
    this.home = home;
  }

  /** Sends a request without authentication and returns any response. */
  async ask(call: string, init: Omit<RequestInit, 'method'> = {}): Promise<Answer> {
    const [method = 'GET', path = ''] = call.split(/ (.*)/);
    const answer = await fetch(`${this.server.url}${path}`, { ...init, method, redirect: 'manual' });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }

  /** Sends a JSON request as administrator. */
  asRoot(call: string, body?: unknown): Promise<Answer> {
    const headers = { 'private-token': token, 'content-type': 'application/json' };
    return this.ask(call, { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  /** Creates something as administrator; throws if that fails. */
  async make(path: string, body: unknown): Promise<{ id: number }> {
    const answer = await this.asRoot(`POST ${path}`, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as { id: number };
  }

  remote(path: string): string {
    return `${this.server.url.replace('://', `://root:${token}@`)}/${path}.git`;
  }
}

/** Throws unless all responses have one of these statuses; returns the statuses as text. */
export function statuses(answers: readonly Answer[], ...expected: readonly number[]): string {
  const seen = answers.map(({ status }) => status);
  const wrong = answers.find(({ status }) => !expected.includes(status));
  if (wrong !== undefined) throw new Error(`answered ${wrong.status} ${wrong.text.slice(0, 200)}`);
  const counts = Map.groupBy(seen, (status) => status);
  return [...counts].map(([status, all]) => (all.length === 1 ? `${status}` : `${status} × ${all.length}`)).join(', ');
}

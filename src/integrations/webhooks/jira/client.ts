import type { Services } from '../../../access/services.ts';
import { EgressRefused } from '../../../platform/egress/client.ts';
import { openSecrets } from '../hooks/secrets.ts';
import { settingsOf } from '../integrations/settings.ts';
import { senderOf } from '../rules.ts';
import type { WebhookRow } from '../tables.ts';
import { apiAddress, authTypes } from './kind.ts';

/** Jira is unreachable, returned a server error or rejected the credentials. */
export class JiraError extends Error {
  override readonly name = 'JiraError';
  /** Whether a retry makes sense. */
  readonly again: boolean;

  constructor(message: string, again: boolean) {
    super(message);
    this.again = again;
  }
}

/** Jira's response; undefined if the issue does not exist or the user lacks access. */
export type JiraAnswer = Readonly<Record<string, unknown>> | undefined;

/** Sends a request to a Jira instance as the configured user. */
export type JiraClient = (method: 'GET' | 'POST', path: string, body?: object) => Promise<JiraAnswer>;

const timeoutMs = 10_000;
const largestAnswer = 1024 * 1024;

function credentials(services: Services, hook: WebhookRow): string {
  const { jira_auth_type, username = '' } = settingsOf(hook);
  const { password = '' } = openSecrets(services, hook, 'url_variables');
  if (jira_auth_type === authTypes.token) return `Bearer ${password.replace(/[^\x21-\x7e]/g, '')}`;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function ask(
  ...[services, hook, signal, ...request]: [...Parameters<typeof jiraClient>, ...Parameters<JiraClient>]
) {
  const [method, path, body] = request;
  const response = await services.egress.fetch(`${apiAddress(settingsOf(hook))}/rest/api/2/${path}`, {
    method,
    headers: {
      authorization: credentials(services, hook),
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirects: 0,
    maxBytes: largestAnswer,
    timeoutsMs: { headers: timeoutMs, body: timeoutMs, total: timeoutMs },
    sender: senderOf(hook),
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, text: await response.text() };
}

function readAnswer(text: string): JiraAnswer {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as JiraAnswer) : {};
  } catch {
    return {};
  }
}

export function jiraClient(services: Services, hook: WebhookRow, signal?: AbortSignal): JiraClient {
  return async (...request) => {
    let answer: Awaited<ReturnType<typeof ask>>;
    try {
      answer = await ask(services, hook, signal, ...request);
    } catch (error) {
      if (signal?.aborted) throw error;
      const refused = error instanceof EgressRefused;
      throw new JiraError(error instanceof Error ? error.message : 'failed', !refused);
    }
    const { status, text } = answer;
    if (status === 401) throw new JiraError('Jira rejected the username or password', false);
    if (status >= 500 || status === 429) throw new JiraError(`Jira responded with ${status}`, true);
    if (status >= 300 && status < 400) throw new JiraError(`Jira responded with ${status}: check the URL`, false);
    return status >= 400 ? undefined : readAnswer(text);
  };
}

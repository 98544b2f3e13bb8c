import type { Services } from '../../access/services.ts';
import { EgressRefused, type Sender } from '../../platform/egress/client.ts';
import { checkStoredUrl } from '../../platform/egress/stored-url.ts';
import { HttpError, Unprocessable } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { isBranchFilter } from './branch-filter.ts';
import type { WebhookRow } from './tables.ts';

/** Secrets by name: URL variables or custom headers. */
export type Secrets = Readonly<Record<string, string>>;

/** A hook of neither a project nor a group is a system hook. */
export const senderOf = (owner: Pick<WebhookRow, 'project_id' | 'namespace_id'>): Sender =>
  owner.project_id === null && owner.namespace_id === null ? 'system hook' : 'anyone';

const refusal = (text: string) => new HttpError(422, { error: text });

/** Fills the variables into the URL. */
export function filledUrl(url: string, variables: Secrets): string {
  return url.replace(/\{([^{}]+)\}/g, (whole, key: string) =>
    Object.hasOwn(variables, key) ? (variables[key] ?? whole) : whole,
  );
}

export async function checkUrl({ egress }: Services, url: string, variables: Secrets, sender: Sender): Promise<void> {
  const filled = filledUrl(url, variables);
  try {
    if (/[{}]/.test(filled)) throw new EgressRefused('URI is invalid');
    await checkStoredUrl(egress, filled, sender);
  } catch (error) {
    throw error instanceof EgressRefused ? refusal('Invalid url given') : error;
  }
}

export function checkBranchFilter(
  hook: Pick<WebhookRow, 'push_events_branch_filter' | 'branch_filter_strategy'>,
): void {
  if (!isBranchFilter(hook)) throw refusal('Invalid branch filter given');
}

const maxSecrets = 20;
/** Headers reserved for the HTTP client. Setting them would allow request smuggling. */
const reserved = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i;

/** Validates custom headers. */
export function checkHeaders(headers: Secrets): void {
  const entries = Object.entries(headers);
  const fine = entries.every(
    ([key, value]) =>
      /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9])?$/.test(key) &&
      !reserved.test(key) &&
      isHeaderValue(value, 2048),
  );
  if (!fine || entries.length > maxSecrets) throw refusal('Custom headers must be a valid json schema');
}

export function checkVariables(variables: Secrets): void {
  const entries = Object.entries(variables);
  const fine = entries.every(
    ([key, value]) => /^[A-Za-z_][\w.-]{0,254}$/.test(key) && value.length > 0 && value.length <= 2048,
  );
  if (!fine || entries.length > maxSecrets) {
    throw new Unprocessable({ url_variables: ['must be a valid json schema'] });
  }
}

function isHeaderValue(value: string, longest: number): boolean {
  return value.length > 0 && value.length <= longest && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

const lengths = { name: 255, description: 2048, custom_webhook_template: 4096 } as const;

/** `whsec_` and 32 bytes in Base64, as of Standard Webhooks. */
const signingToken = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** Validates the lengths of a webhook's texts, and that its tokens can be used. */
export function checkTexts(
  sent: {
    readonly [K in keyof typeof lengths | 'token' | 'signing_token']?: string | null;
  },
): void {
  const problems: Record<string, string[]> = {};
  for (const [name, most] of Object.entries(lengths)) {
    const long = lengthProblem(sent[name as keyof typeof lengths] ?? '', most);
    if (long !== undefined) problems[name] = [long];
  }
  if (sent.token && !isHeaderValue(sent.token, 2048)) problems.token = ['is invalid'];
  if (sent.signing_token && !signingToken.test(sent.signing_token)) {
    problems.signing_token = ['must be whsec_ followed by 32 bytes in Base64'];
  }
  if (Object.keys(problems).length > 0) throw new Unprocessable(problems);
}

import type { Services } from '../../../access/services.ts';
import { storedStringMap } from '../../../platform/stored-json.ts';
import type { Secrets } from '../rules.ts';
import type { WebhookRow } from '../tables.ts';

type Sealed = 'url_variables' | 'custom_headers';

type Token = 'token' | 'signing_token';

const purpose = (column: Sealed | Token) => `webhooks.${column}`;

export function sealSecrets({ encryption }: Services, column: Sealed, secrets: Secrets): string | null {
  const empty = Object.keys(secrets).length === 0;
  return empty ? null : encryption.encrypt(JSON.stringify(secrets), purpose(column));
}

export function openSecrets({ encryption }: Services, hook: WebhookRow, column: Sealed): Secrets {
  const sealed = hook[column];
  return sealed === null ? {} : storedStringMap(encryption.decrypt(sealed, purpose(column)));
}

export function sealToken({ encryption }: Services, column: Token, token: string | null | undefined): string | null {
  return token ? encryption.encrypt(token, purpose(column)) : null;
}

export function openToken({ encryption }: Services, hook: WebhookRow, column: Token): string | null {
  const sealed = hook[column];
  return sealed === null ? null : encryption.decrypt(sealed, purpose(column));
}

import type { Services } from '../../../access/services.ts';
import { storedStringMap } from '../../../platform/stored-json.ts';
import type { Secrets } from '../rules.ts';
import type { WebhookRow } from '../tables.ts';

type Sealed = 'url_variables' | 'custom_headers';

const purpose = (column: Sealed | 'token') => `webhooks.${column}`;

export function sealSecrets({ encryption }: Services, column: Sealed, secrets: Secrets): string | null {
  const empty = Object.keys(secrets).length === 0;
  return empty ? null : encryption.encrypt(JSON.stringify(secrets), purpose(column));
}

export function openSecrets({ encryption }: Services, hook: WebhookRow, column: Sealed): Secrets {
  const sealed = hook[column];
  return sealed === null ? {} : storedStringMap(encryption.decrypt(sealed, purpose(column)));
}

export function sealToken({ encryption }: Services, token: string | null | undefined): string | null {
  return token ? encryption.encrypt(token, purpose('token')) : null;
}

export function openToken({ encryption }: Services, hook: WebhookRow): string | null {
  return hook.token === null ? null : encryption.decrypt(hook.token, purpose('token'));
}

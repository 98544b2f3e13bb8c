import type { Entry } from '../entry.ts';
import type { PlannedJob } from '../plan.ts';
import { plain } from '../yaml/values.ts';

const providers = [
  'vault',
  'gcp_secret_manager',
  'azure_key_vault',
  'aws_secrets_manager',
  'gitlab_secrets_manager',
  'akeyless',
];

export function readIdTokens(tokens: Entry | null): PlannedJob['idTokens'] {
  if (tokens === null) return {};
  return Object.fromEntries(
    tokens.keys().map((name) => {
      const token = tokens.entry(name);
      token?.allow(['aud']);
      token?.require('aud');
      return [name, { aud: token?.stringOrStrings('aud') ?? [] }];
    }),
  );
}

/** Secrets are fetched by the runner from a provider. Without one the job could only fail, so its author hears it now. */
export function readSecrets(secrets: Entry | null, allowed: boolean): PlannedJob['secrets'] {
  if (secrets === null) return {};
  if (!allowed) {
    secrets.fault('config cannot be used: no secrets provider is set up on this server');
    return {};
  }
  return Object.fromEntries(
    secrets.keys().map((name) => {
      const secret = secrets.entry(name);
      secret?.allow([...providers, 'file', 'token']);
      if (secret !== null && providers.filter((provider) => secret.has(provider)).length !== 1) {
        secret.fault(`config must use exactly one of these keys: ${providers.join(', ')}`);
      }
      return [name, plain(secrets.get(name))];
    }),
  );
}

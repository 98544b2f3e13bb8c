import { Entry } from '../entry.ts';
import type { PlannedSecret, SecretSource } from '../plan.ts';
import { isMapping, scalarText } from '../yaml/values.ts';

const providers = ['vault', 'gcp_secret_manager', 'azure_key_vault', 'aws_secrets_manager'] as const;
const awsKeys = ['secret_id', 'version_id', 'version_stage', 'field', 'region', 'role_arn', 'role_session_name'];

type IdTokens = Readonly<Record<string, unknown>>;

/** The secrets that the runner fetches before the job starts. */
export function readSecrets(secrets: Entry | null, idTokens: IdTokens): Readonly<Record<string, PlannedSecret>> {
  if (secrets === null) return {};
  const read = secrets.keys().flatMap((name) => {
    const entry = secrets.entry(name);
    const source = entry && readSource(entry);
    if (!entry || !source) return [];
    const token = entry.string('token') ?? defaultToken(source, idTokens);
    // Google always needs one; the other providers may be open to a runner's own credentials.
    if (token === null && source.provider === 'gcp_secret_manager') {
      entry.fault('config needs a token: `token`, or one under `id_tokens`');
    }
    return [[name, { source, token, file: entry.boolean('file') ?? true }] as const];
  });
  return Object.fromEntries(read);
}

/** Runners may have their own AWS credentials: a token is only used for AWS if it is named accordingly. */
function defaultToken({ provider }: SecretSource, idTokens: IdTokens): string | null {
  const names = Object.keys(idTokens);
  const tokenName = provider === 'aws_secrets_manager' ? names.find((name) => name === 'AWS_ID_TOKEN') : names[0];
  return tokenName === undefined ? null : `$${tokenName}`;
}

function readSource(secret: Entry): SecretSource | null {
  secret.allow([...providers, 'file', 'token']);
  const configured = providers.filter((provider) => secret.has(provider));
  if (configured.length !== 1) {
    secret.fault(`config must use exactly one of these keys: ${providers.join(', ')}`);
    return null;
  }
  switch (configured[0]) {
    case 'vault':
      return readVault(secret);
    case 'aws_secrets_manager':
      return readAws(secret);
    case 'gcp_secret_manager':
      return readNamed(secret, 'gcp_secret_manager', 'latest');
    default:
      return readNamed(secret, 'azure_key_vault', null);
  }
}

/** Also accepts the short form `path/to/secret/field@engine`. */
function readVault(secret: Entry): SecretSource | null {
  const value = secret.get('vault');
  const short = typeof value === 'string' ? /^(.+)\/([^/@]+)(?:@(.+))?$/s.exec(value) : null;
  if (short !== null) {
    const [, path = '', field = '', engine = 'kv-v2'] = short;
    return { provider: 'vault', engine: { name: 'kv-v2', path: engine }, path, field };
  }
  if (value === undefined || !isMapping(value)) {
    secret.problems.add(secret.below('vault'), 'config should be a hash, or a string such as path/field@engine');
    return null;
  }
  const entry = new Entry(value, secret.below('vault'), secret.problems);
  entry.allow(['engine', 'path', 'field']);
  entry.require('engine', 'path', 'field');
  const engine = entry.entry('engine');
  engine?.allow(['name', 'path']);
  engine?.require('name', 'path');
  return {
    provider: 'vault',
    engine: { name: engine?.string('name') ?? '', path: engine?.string('path') ?? '' },
    path: entry.string('path') ?? '',
    field: entry.string('field') ?? '',
  };
}

/** Also accepts the short form `secret#field`. */
function readAws(secret: Entry): SecretSource | null {
  const value = secret.get('aws_secrets_manager');
  if (typeof value === 'string') {
    const [id = '', ...field] = value.split('#');
    const named = { secret_id: id, ...(field.length > 0 && { field: field.join('#') }) };
    return { provider: 'aws_secrets_manager', named };
  }
  const entry = secret.entry('aws_secrets_manager');
  entry?.allow(awsKeys);
  entry?.require('secret_id');
  const named = awsKeys.flatMap((key) => {
    const text = entry?.string(key) ?? null;
    return text === null ? [] : [[key, text] as const];
  });
  return { provider: 'aws_secrets_manager', named: Object.fromEntries(named) };
}

function readNamed(
  secret: Entry,
  provider: 'gcp_secret_manager' | 'azure_key_vault',
  defaultVersion: string | null,
): SecretSource | null {
  const entry = secret.entry(provider);
  if (entry === null) return null;
  entry.allow(['name', 'version']);
  entry.require('name');
  // Google uses numeric versions.
  const version = scalarText(entry.get('version')) ?? defaultVersion;
  return { provider, name: entry.string('name') ?? '', version };
}

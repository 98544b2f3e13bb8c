import type { PlannedSecret, SecretSource } from '../config/public.ts';

type Variables = readonly { readonly key: string; readonly value: string }[];

/** Variables that must be set to locate a provider. */
function settingsFor(source: SecretSource): readonly string[] {
  switch (source.provider) {
    case 'vault':
      return ['VAULT_SERVER_URL'];
    case 'azure_key_vault':
      return ['AZURE_KEY_VAULT_SERVER_URL'];
    case 'gcp_secret_manager':
      return [
        'GCP_PROJECT_NUMBER',
        'GCP_WORKLOAD_IDENTITY_FEDERATION_POOL_ID',
        'GCP_WORKLOAD_IDENTITY_FEDERATION_PROVIDER_ID',
      ];
    case 'aws_secrets_manager':
      return source.named.region === undefined ? ['AWS_REGION'] : [];
  }
}

/** Whether the variables of a job configure the providers of all its secrets. */
export function providersConfigured(secrets: Readonly<Record<string, PlannedSecret>>, variables: Variables): boolean {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  return Object.values(secrets).every(({ source }) => settingsFor(source).every((key) => values.get(key)));
}

/** The secrets of a job as sent to the runner: location and authentication. */
export function secretsOf(secrets: Readonly<Record<string, PlannedSecret>>, variables: Variables) {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  return Object.fromEntries(
    Object.entries(secrets).map(([name, { source, token, file }]) => {
      const jwt = token ?? '';
      return [name, { ...locationOf(source, jwt, (key) => values.get(key) ?? ''), file }];
    }),
  );
}

function locationOf(source: SecretSource, jwt: string, value: (key: string) => string) {
  switch (source.provider) {
    case 'vault': {
      const { engine, path, field } = source;
      const role = value('VAULT_AUTH_ROLE');
      const auth = { name: 'jwt', path: value('VAULT_AUTH_PATH') || 'jwt', data: { jwt, ...(role && { role }) } };
      const server = { url: value('VAULT_SERVER_URL'), namespace: value('VAULT_NAMESPACE'), auth };
      return { vault: { server, engine, path, field } };
    }
    case 'gcp_secret_manager': {
      const { name, version } = source;
      const server = {
        project_number: value('GCP_PROJECT_NUMBER'),
        workload_identity_federation_pool_id: value('GCP_WORKLOAD_IDENTITY_FEDERATION_POOL_ID'),
        workload_identity_federation_provider_id: value('GCP_WORKLOAD_IDENTITY_FEDERATION_PROVIDER_ID'),
        jwt,
      };
      return { gcp_secret_manager: { name, version: version ?? '', server } };
    }
    case 'azure_key_vault': {
      const { name, version } = source;
      const server = {
        url: value('AZURE_KEY_VAULT_SERVER_URL'),
        client_id: value('AZURE_CLIENT_ID'),
        tenant_id: value('AZURE_TENANT_ID'),
        jwt,
      };
      return { azure_key_vault: { name, ...(version !== null && { version }), server } };
    }
    case 'aws_secrets_manager': {
      const server = {
        region: value('AWS_REGION'),
        jwt,
        role_arn: value('AWS_ROLE_ARN'),
        role_session_name: value('AWS_ROLE_SESSION_NAME'),
      };
      return { aws_secrets_manager: { ...source.named, server } };
    }
  }
}

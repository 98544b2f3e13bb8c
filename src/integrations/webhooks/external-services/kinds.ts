import { encodePath } from '../../../code/repository/public.ts';
import { trimTrailing } from '../../../platform/trim.ts';
import type { IntegrationKind, IntegrationRequest, Problems, ReportedEvent } from '../integrations/kind.ts';
import type { Settings } from '../integrations/settings.ts';
import { webAddressProblem } from '../integrations/web-address.ts';
import { githubAddress, githubStatus } from './github.ts';

/** An integration that passes events on to a service, as they are or as the service expects them. */
export interface ExternalService extends IntegrationKind {
  /** Unset if it sends nothing; undefined for events that it does not report. */
  readonly request?: (event: ReportedEvent, settings: Settings, secret: string) => IntegrationRequest | undefined;
}

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The whole payload of the webhook. */
const forwarded = ({ payload }: ReportedEvent) => payload as object;

const query = (values: Readonly<Record<string, string | undefined>>) =>
  Object.entries(values)
    .filter(([, value]) => value)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value ?? '')}`)
    .join('');

function addressProblems(settings: Settings, ...names: ('jenkins_url' | 'server' | 'url')[]): Record<string, string[]> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const problem = settings[name] === undefined ? undefined : webAddressProblem(settings[name]);
      return problem === undefined ? [] : [[name, [problem]]];
    }),
  );
}

const isTag = (line: string) => /^[^\s:,][^\s,:]*:[^\s,]+$/.test(line);
const tagsOf = ({ datadog_tags = '' }: Settings) =>
  datadog_tags
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function checkDatadog(settings: Settings): Problems {
  const { datadog_site = '' } = settings;
  return {
    ...(/^([a-z0-9-]+\.)*[a-z0-9-]+$/i.test(datadog_site || 'datadoghq.com') ? {} : { datadog_site: ['is invalid'] }),
    ...(tagsOf(settings).every(isTag) ? {} : { datadog_tags: ['must be lines such as key:value'] }),
  };
}

const harborAddress = ({ url = '' }: Settings) => trimTrailing(url, '/');

/** Integrations with services that are neither chats nor issue trackers, by slug. */
export const externalServices = {
  jenkins: {
    title: 'Jenkins',
    switches: ['push_events', 'merge_requests_events', 'tag_push_events'],
    secret: 'password',
    required: ['jenkins_url', 'project_name'],
    takes: ['jenkins_url', 'project_name', 'username', 'enable_ssl_verification'],
    defaults: { enable_ssl_verification: true },
    address: ({ jenkins_url = '' }) => trimTrailing(jenkins_url, '/'),
    addressedBy: 'jenkins_url',
    check: (settings) => addressProblems(settings, 'jenkins_url'),
    request: (event, { project_name = '', username }, secret) => ({
      body: forwarded(event),
      suffix: `/project/${encodePath(project_name)}`,
      ...(username ? { authorization: basic(username, secret) } : {}),
    }),
  },
  datadog: {
    title: 'Datadog',
    switches: [
      'push_events',
      'tag_push_events',
      'merge_requests_events',
      'note_events',
      'pipeline_events',
      'job_events',
    ],
    secret: 'api_key',
    secretPattern: /^[\w-]{1,255}$/,
    required: ['api_key'],
    takes: ['datadog_site', 'api_url', 'datadog_service', 'datadog_env', 'datadog_tags'],
    defaults: { datadog_site: 'datadoghq.com' },
    address: ({ api_url, datadog_site }) =>
      `${api_url || `https://webhook-intake.${datadog_site || 'datadoghq.com'}/api/v2/webhook`}?dd-api-key={api_key}`,
    addressedBy: 'api_url',
    check: checkDatadog,
    request: (event, settings) => ({
      body: forwarded(event),
      suffix: query({
        service: settings.datadog_service,
        env: settings.datadog_env,
        tags: tagsOf(settings).join(','),
      }),
    }),
  },
  packagist: {
    title: 'Packagist',
    switches: ['push_events', 'tag_push_events', 'merge_requests_events'],
    secret: 'token',
    secretPattern: /^[\w-]{1,255}$/,
    required: ['username', 'token'],
    takes: ['username', 'server'],
    defaults: {},
    address: ({ server }) =>
      `${trimTrailing(server || 'https://packagist.org', '/')}/api/update-package?apiToken={token}`,
    addressedBy: 'server',
    check: (settings) => addressProblems(settings, 'server'),
    request: (event, { username }) => ({ body: forwarded(event), suffix: query({ username }) }),
  },
  github: {
    title: 'GitHub',
    switches: ['pipeline_events'],
    secret: 'token',
    secretPattern: /^[\x21-\x7e]+$/,
    required: ['token', 'repository_url'],
    takes: ['repository_url', 'static_context'],
    defaults: { static_context: true },
    address: ({ repository_url = '' }) => githubAddress(repository_url) ?? '',
    addressedBy: 'repository_url',
    check: ({ repository_url = '' }): Problems =>
      githubAddress(repository_url) === undefined ? { repository_url: ['must be the URL of a repository'] } : {},
    request: (event, settings, secret) => githubStatus(event, settings, secret),
  },
  harbor: {
    title: 'Harbor',
    switches: [],
    secret: 'password',
    required: ['url', 'project_name', 'username', 'password'],
    takes: ['url', 'project_name', 'username'],
    defaults: {},
    address: harborAddress,
    addressedBy: 'url',
    check: (settings) => addressProblems(settings, 'url'),
  },
} as const satisfies Record<string, ExternalService>;

export function externalService(slug: string): ExternalService | undefined {
  return Object.hasOwn(externalServices, slug) ? externalServices[slug as keyof typeof externalServices] : undefined;
}

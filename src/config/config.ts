import { resolve } from 'node:path';
import { certificateFile } from './certificate-file.ts';
import { dependencyProxy, dependencyProxyMistakes } from './dependency-proxy.ts';
import { directory } from './directory.ts';
import { incomingMail, incomingMailMistakes } from './incoming-mail.ts';
import { mistakesOf } from './one-directory.ts';
import { providerMistakes } from './one-provider.ts';
import { providers, providersMistakes } from './providers.ts';
import { flagOf, readSettings } from './read.ts';
import {
  addressRange,
  bytes,
  choice,
  duration,
  integer,
  list,
  rate,
  type Settings,
  secret,
  text,
  toggle,
  type Values,
} from './setting.ts';
import { domainName, nameServer, origin, password, postgres, smtp, token } from './value-readers.ts';

const port = [0, 65_535] as const;

const serving = {
  port: integer('HEARTH_PORT', 8080, 'Port to listen on; 0 takes any free one.', port),
  host: text('HEARTH_HOST', '127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for all.'),
  url: text('HEARTH_URL', undefined, 'External address, used in links; without it, the address listened on.', origin),
  workers: integer('HEARTH_WORKERS', 1, 'Server processes that share the port.', [1, 256]),
  trustedProxies: list('HEARTH_TRUSTED_PROXIES', [], 'Proxies whose X-Forwarded-* headers are believed.', addressRange),
  bodyStall: duration('HEARTH_BODY_STALL', '60s', 'How long nothing may come of a body that is not complete.'),
  stopDeadline: duration('HEARTH_STOP_DEADLINE', '30s', 'How long requests in flight may take to finish at SIGTERM.'),
  sshPort: integer('HEARTH_SSH_PORT', undefined, 'Port of the SSH server for git; off unless set.', port),
  sshHost: text('HEARTH_SSH_HOST', '127.0.0.1', 'Address the SSH server listens on.'),
  pagesDomain: text(
    'HEARTH_PAGES_DOMAIN',
    undefined,
    'Domain below which sites of projects are served, as GROUP.DOMAIN, on the same port; off unless set.',
    domainName,
  ),
  pagesDns: list(
    'HEARTH_PAGES_DNS',
    [],
    'DNS servers asked whose a domain of a site is; without them, those of the machine.',
    nameServer,
  ),
};

const storing = {
  data: text('HEARTH_DATA', './data', 'Directory of everything that is kept.'),
  databaseUrl: secret('DATABASE_URL', 'PostgreSQL to use instead of SQLite in the data directory.', postgres),
  s3Bucket: text(
    'HEARTH_S3_BUCKET',
    undefined,
    'Bucket for uploads, LFS objects, artifacts and logs instead of the data directory.',
  ),
  s3Endpoint: text(
    'HEARTH_S3_ENDPOINT',
    undefined,
    'Server of the bucket, as https://host, where it is not Amazon.',
    origin,
  ),
  s3Region: text('HEARTH_S3_REGION', 'us-east-1', 'Region of the bucket.'),
  s3Prefix: text('HEARTH_S3_PREFIX', '', 'What the names of all objects begin with, such as hearth/.'),
  s3AccessKeyId: text(
    'HEARTH_S3_ACCESS_KEY_ID',
    undefined,
    'Account for the bucket; without it, that of the environment or machine.',
  ),
  s3SecretAccessKey: secret('HEARTH_S3_SECRET_ACCESS_KEY', 'Its secret.'),
};

const people = {
  rootPassword: secret(
    'HEARTH_ROOT_PASSWORD',
    'Password of `root` at the first start; generated without it.',
    password,
  ),
  rootToken: secret('HEARTH_ROOT_TOKEN', 'A token of `root` with scope `api`, for scripts.', token),
  passwordAttempts: integer(
    'HEARTH_PASSWORD_ATTEMPTS',
    10,
    'Wrong passwords in a row before a lock; 0: never.',
    [0, 1000],
  ),
  passwordLock: duration('HEARTH_PASSWORD_LOCK', '10m', 'How long such a lock lasts.'),
  defaultVisibility: choice('HEARTH_DEFAULT_VISIBILITY', 'private', 'Visibility of a project that names none.', [
    'private',
    'internal',
    'public',
  ]),
  deletionDelay: duration(
    'HEARTH_DELETION_DELAY',
    '30d',
    'How long a deleted project or group can be restored; 0: not.',
  ),
};

const network = {
  allowLocalEgress: toggle('HEARTH_ALLOW_LOCAL_EGRESS', 'Let requests go out to private and loopback addresses.'),
  hostaUrl: text('HEARTH_HOSTA_URL', 'https://api.github.com', 'Where the API of hosta (GitHub) is imported from.'),
  hostbUrl: text(
    'HEARTH_HOSTB_URL',
    'https://api.bitbucket.org/2.0',
    'Where the API of hostb (Bitbucket) is imported from.',
  ),
  importS3Url: text(
    'HEARTH_IMPORT_S3_URL',
    '',
    'A server of the kind of Amazon S3 that project files in buckets are imported from instead of it.',
  ),
  egressAllow: list('HEARTH_EGRESS_ALLOW', [], 'Hosts and address ranges reached even if private.'),
  smtpUrl: secret(
    'HEARTH_SMTP_URL',
    'Mail server, as smtps://user:password@host; without it, emails are put into `mail/` of the data directory.',
    smtp,
  ),
  mailFrom: text('HEARTH_MAIL_FROM', 'Hearth <hearth@localhost>', 'Whom mail is from.'),
  integrationMailRate: rate(
    'HEARTH_INTEGRATION_MAIL_RATE',
    '5000/1h',
    'Emails of integrations, such as of pushes, in the projects of one top-level group or person.',
  ),
  mailAddressRate: rate('HEARTH_MAIL_ADDRESS_RATE', '300/1h', 'How many of them one address is sent.'),
  invitationRate: rate(
    'HEARTH_INVITATION_RATE',
    '200/1h',
    'Emails that invite somebody without an account: by one user, and into one top-level group or the projects of one person.',
  ),
  metricsAllow: list('HEARTH_METRICS_ALLOW', ['127.0.0.0/8', '::1/128'], 'Who may read /-/metrics.', addressRange),
};

const limits = {
  maxBody: bytes('HEARTH_MAX_BODY', '10MiB', 'Largest body of an ordinary API request.'),
  maxAnonymousBody: bytes('HEARTH_MAX_ANONYMOUS_BODY', '64KiB', 'Largest body of a request without a token.'),
  maxCommitBody: bytes('HEARTH_MAX_COMMIT_BODY', '300MiB', 'Largest body that creates a commit or a file.'),
  largeRequest: bytes('HEARTH_LARGE_REQUEST', '20MiB', 'From this size a commit request counts as large.'),
  largeRequestRate: rate('HEARTH_LARGE_REQUEST_RATE', '3/30s', 'Large commit requests of one user.'),
  importPeople: integer(
    'HEARTH_IMPORT_PEOPLE',
    5000,
    'Accounts that imports into one top-level group make for the people of other hosts; what others did is of one account then.',
    [0, 1_000_000],
  ),
  largeBlob: bytes('HEARTH_LARGE_BLOB', '10MiB', 'From this size a blob read as JSON counts as large.'),
  largeBlobRate: rate('HEARTH_LARGE_BLOB_RATE', '5/1m', 'Large blobs read as JSON from one project.'),
  archiveRate: rate(
    'HEARTH_ARCHIVE_RATE',
    '120/1m',
    'Archives of one project for one user; the hosted service gives 5/1m.',
  ),
  archiveCache: bytes('HEARTH_ARCHIVE_CACHE', '1GiB', 'Space for archives that are kept to be sent again.'),
  changelogRate: rate(
    'HEARTH_CHANGELOG_RATE',
    '60/1m',
    'Changelogs of one project for one user; the hosted service gives 5/1m.',
  ),
  healthRate: rate(
    'HEARTH_HEALTH_RATE',
    '60/1h',
    'Reports on one repository that are made anew; the hosted service gives 5/1h.',
  ),
  pipelineJobs: integer('HEARTH_PIPELINE_JOBS', 0, 'Jobs and statuses of one pipeline; 0 for any number.', [0, 1e9]),
  userRate: rate('HEARTH_USER_RATE', '0', 'API requests of one signed-in user.'),
  anonymousRate: rate('HEARTH_ANONYMOUS_RATE', '0', 'API requests of one address that is not signed in.'),
  endpointLimits: toggle('HEARTH_ENDPOINT_LIMITS', 'Limit single endpoints as documented: see Application settings.'),
};

const jobs = {
  jobPoll: duration('HEARTH_JOB_POLL', '50s', 'How long a runner that asks for a job waits for one to come; 0: not.'),
  maxJobLog: bytes('HEARTH_MAX_JOB_LOG', '100MiB', 'Largest log of a job; one that says more fails.'),
  maxArtifact: bytes(
    'HEARTH_MAX_ARTIFACT',
    '100MiB',
    'Largest artifact of a job, unless a group or project says more.',
  ),
  artifactExpiry: duration(
    'HEARTH_ARTIFACT_EXPIRY',
    '30d',
    'How long artifacts are kept that do not say; 0: for good.',
  ),
};

const errors = {
  errorKeyRate: rate('HEARTH_ERROR_KEY_RATE', '100/10s', 'Error events of one client key.'),
  errorProjectRate: rate('HEARTH_ERROR_PROJECT_RATE', '300/10s', 'Error events of one project.'),
  errorAddressRate: rate('HEARTH_ERROR_ADDRESS_RATE', '200/10s', 'Error events from one address.'),
  errorDailyRate: rate('HEARTH_ERROR_DAILY_RATE', '1000000/1d', 'Error events of one project in a day.'),
};

const registry = {
  registry: choice('HEARTH_REGISTRY', 'on', 'Whether projects have a registry of container images.', ['on', 'off']),
  registryUrl: text(
    'HEARTH_REGISTRY_URL',
    undefined,
    'External address of the registry where it has one of its own, which leads to the same port; without it, HEARTH_URL.',
    origin,
  ),
  maxRegistryLayer: bytes('HEARTH_MAX_REGISTRY_LAYER', '20GiB', 'Largest layer of an image.'),
};

const git = {
  gitProcesses: integer('HEARTH_GIT_PROCESSES', 32, 'Git processes that run at the same time.', [1, 10_000]),
  gitMemory: bytes(
    'HEARTH_GIT_MEMORY',
    '1GiB',
    'Memory of one git process; 0 for any. Fetches and pushes: four times.',
  ),
  gitPerRepository: integer(
    'HEARTH_GIT_PER_REPOSITORY',
    16,
    'Fetches and pushes of one repository at the same time.',
    [1, 10_000],
  ),
  packCache: bytes(
    'HEARTH_PACK_CACHE',
    '1GiB',
    'Space for packs that are kept to answer the same fetch again; 0: none are kept.',
  ),
  maxPush: bytes('HEARTH_MAX_PUSH', '5GiB', 'Largest pack that a push may send.'),
  maxLfsFile: bytes('HEARTH_MAX_LFS_FILE', '5GiB', 'Largest file that Git LFS may store.'),
  signatureCa: text(
    'HEARTH_SIGNATURE_CA',
    undefined,
    'File of further authorities (PEM) whose certificates may sign commits and tags.',
    certificateFile,
  ),
  commitSigningKey: text(
    'HEARTH_COMMIT_SIGNING_KEY',
    undefined,
    'File of the SSH key (Ed25519) that signs the commits the server makes itself, made where it is not there.',
    (given) => resolve(given),
  ),
  gitRate: rate('HEARTH_GIT_RATE', '0', 'Git and LFS requests of one user, or of one address without a user.'),
  gitSignInRate: rate(
    'HEARTH_GIT_SIGN_IN_RATE',
    '30/1m',
    'Wrong credentials given to git, or for packages, from one address.',
  ),
};

const logging = {
  logLevel: choice('HEARTH_LOG_LEVEL', 'info', 'How much is logged.', [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ]),
};

/** Every setting, by chapter. */
export const chapters = {
  Serving: serving,
  Data: storing,
  'People and projects': people,
  'Directory (LDAP)': directory,
  'Sign-in through OpenID Connect': providers,
  Network: network,
  'Incoming mail': incomingMail,
  Limits: limits,
  Git: git,
  'Container registry': registry,
  'Dependency proxy': dependencyProxy,
  Jobs: jobs,
  'Error tracking': errors,
  Logging: logging,
};

/** Every setting: its variable, default and help. The flag follows from the name. */
export const settings = {
  ...serving,
  ...storing,
  ...people,
  ...directory,
  ...providers,
  ...network,
  ...incomingMail,
  ...limits,
  ...git,
  ...registry,
  ...dependencyProxy,
  ...jobs,
  ...errors,
  ...logging,
};

/** The settings of one server, read and checked. */
export type Config = Readonly<Values<typeof settings>>;

/** Everything that is wrong with the settings, at once. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`The settings have ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n  ${mistakes.join('\n  ')}`);
    this.mistakes = mistakes;
  }
}

/**
 * Reads the settings, and the flags of one command, from the command line and the environment; throws `ConfigError` with
 * every mistake, and makes paths absolute.
 */
export function readConfig(own: Settings, argv: readonly string[], env: NodeJS.ProcessEnv) {
  const { values, sources, words, mistakes } = readSettings({ ...settings, ...own }, argv, env);
  const strays = words.map((word) => `${word}: not understood here`);
  const found = [...mistakes, ...strays, ...contradictions(values)];
  if (found.length > 0) throw new ConfigError(found);
  return { config: { ...values, data: resolve(values.data) }, sources };
}

/** The settings alone. */
export function loadConfig(argv: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Config {
  return readConfig({}, argv, env).config;
}

/** Mistakes that no setting shows by itself. */
function contradictions(config: Config): string[] {
  const samePort = config.port !== 0 && config.sshPort === config.port && config.sshHost === config.host;
  const problems = samePort ? [`--ssh-port: ${config.port} is the port that HTTP listens on`] : [];
  const found = [
    ...mistakesOf(config),
    ...providerMistakes(config),
    ...incomingMailMistakes(config),
    ...dependencyProxyMistakes(config),
  ];
  for (const [name, text] of found) problems.push(`${flagOf(name)}: ${text}`);
  problems.push(...pagesMistakes(config), ...providersMistakes(config));
  if ((config.s3AccessKeyId === undefined) !== (config.s3SecretAccessKey === undefined)) {
    problems.push('--s3-access-key-id and --s3-secret-access-key go together');
  }
  const { ldapUrl, ldapProvider, ldapDirectories } = config;
  const further = ldapDirectories?.entries ?? [];
  if (ldapUrl !== undefined && further.some((one) => one.ldapProvider === ldapProvider)) {
    problems.push(`--ldap-directories: ${ldapProvider} is the name of the first directory`);
  }
  return problems;
}

/** Sites hold whatever their authors want: none may stand where a browser takes it for the forge, nor the forge among them. */
function pagesMistakes({ pagesDomain: domain, url }: Config): string[] {
  const host = url === undefined ? undefined : new URL(url).hostname;
  if (domain === undefined || host === undefined) return [];
  if (host !== domain && !host.endsWith(`.${domain}`)) return [];
  return [`--pages-domain: ${host}, the host of --url, must lie outside of ${domain}`];
}

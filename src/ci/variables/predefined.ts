import { imagePrefix, proxiedPath, proxyServer, registryHost } from '../../access/registry-address.ts';
import { visibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { defaultBranch, projectUrl } from '../../code/repository/public.ts';
import { type Commit, commitTitle } from '../../platform/git/objects/commit.ts';
import { identitySecond } from '../../platform/git/objects/identity.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { slug } from '../config/public.ts';

/** GitLab release reported to scripts, which rely on its behaviour. */
const version = '18.9.0';
const maxMessageBytes = 100_000;
const maxTopics = 20;

const defaultConfigPath = '.gitlab-ci.yml';

/** Path of the CI/CD configuration file of a project. */
export function configPathOf(project: Project): string {
  const own = settingsOf(project).ci_config_path;
  return typeof own === 'string' && own !== '' ? own : defaultConfigPath;
}

/** What a new pipeline runs on. */
export interface RunFacts {
  /** Short name. */
  readonly ref: string;
  readonly kind: 'branch' | 'tag' | 'merge_request';
  readonly commit: Commit;
  /** Forty zeros if there is no previous commit. */
  readonly beforeSha: string;
  readonly source: string;
  readonly protected: boolean;
  readonly configPath: string;
}

/** Predefined variables known before the pipeline exists, so that rules and includes can use them. */
export function predefinedVariables(
  services: Services,
  subject: ProjectSubject,
  run: RunFacts,
): Record<string, string> {
  return { ...ofServer(services), ...ofProject(services, subject), ...ofCommit(run), ...ofRun(run) };
}

function ofServer({ externalUrl, config }: Services): Record<string, string> {
  const { protocol, hostname, host, port } = new URL(externalUrl);
  const scheme = protocol.slice(0, -1);
  const [major = '', minor = '', patch = ''] = version.split('.');
  return {
    CI: 'true',
    GITLAB_CI: 'true',
    GITLAB_FEATURES: '',
    CI_SERVER_URL: externalUrl,
    CI_SERVER_HOST: hostname,
    CI_SERVER_PORT: port || (scheme === 'https' ? '443' : '80'),
    CI_SERVER_PROTOCOL: scheme,
    CI_SERVER_FQDN: host,
    // Scripts compare against this name.
    CI_SERVER_NAME: 'GitLab',
    CI_SERVER_VERSION: version,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: 'hearth',
    CI_SERVER_SHELL_SSH_HOST: hostname,
    CI_SERVER_SHELL_SSH_PORT: `${config.sshPort ?? 22}`,
    CI_API_V4_URL: `${externalUrl}/api/v4`,
    CI_API_GRAPHQL_URL: `${externalUrl}/api/graphql`,
    CI_TEMPLATE_REGISTRY_HOST: 'registry.gitlab.com',
    ...(config.pagesDomain !== undefined && { CI_PAGES_DOMAIN: config.pagesDomain }),
  };
}

function ofProject(services: Services, subject: ProjectSubject): Record<string, string> {
  const { project, namespace, fullPath } = subject;
  const branch = defaultBranch(subject);
  const topics = storedStrings(project.topics);
  return {
    CI_PROJECT_ID: `${project.id}`,
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_PATH: fullPath,
    CI_PROJECT_PATH_SLUG: slug(fullPath),
    CI_PROJECT_NAMESPACE: namespace.full_path,
    CI_PROJECT_NAMESPACE_ID: `${namespace.id}`,
    CI_PROJECT_NAMESPACE_SLUG: slug(namespace.full_path),
    CI_PROJECT_ROOT_NAMESPACE: namespace.full_path.split('/')[0] ?? '',
    CI_PROJECT_URL: projectUrl(services, subject),
    CI_PROJECT_VISIBILITY: visibilityName(project.visibility),
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_TOPICS: topics.slice(0, maxTopics).join(',').toLowerCase(),
    CI_PROJECT_CLASSIFICATION_LABEL: '',
    CI_DEFAULT_BRANCH: branch,
    CI_DEFAULT_BRANCH_SLUG: slug(branch),
    ...ofRegistry(services, subject),
    ...ofDependencyProxy(services, subject),
  };
}

/** Container registry addresses of the project, if the registry is enabled for it. */
function ofRegistry(services: Services, subject: ProjectSubject): Record<string, string> {
  const [host, prefix] = [registryHost(services), imagePrefix(services, subject.fullPath)];
  if (host === undefined || prefix === undefined || subject.featureLevel('container_registry') === 0) return {};
  return { CI_REGISTRY: host, CI_REGISTRY_IMAGE: prefix };
}

/** Dependency proxy address, with image prefixes for projects within a group. */
function ofDependencyProxy(services: Services, { namespace }: ProjectSubject): Record<string, string> {
  const server = proxyServer(services);
  if (server === undefined) return {};
  const prefix = (path: string) => `${server}/${proxiedPath(path)}`;
  return {
    CI_DEPENDENCY_PROXY_SERVER: server,
    ...(namespace.kind === 'group' && {
      CI_DEPENDENCY_PROXY_GROUP_IMAGE_PREFIX: prefix(namespace.full_path.split('/')[0] ?? ''),
      CI_DEPENDENCY_PROXY_DIRECT_GROUP_IMAGE_PREFIX: prefix(namespace.full_path),
    }),
  };
}

function ofCommit({ commit, beforeSha }: RunFacts): Record<string, string> {
  const message = truncate(commit.message);
  const title = commitTitle(message);
  const { author } = commit;
  return {
    CI_COMMIT_SHA: commit.oid,
    CI_COMMIT_SHORT_SHA: commit.oid.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: beforeSha,
    CI_COMMIT_MESSAGE: message,
    CI_COMMIT_MESSAGE_IS_TRUNCATED: `${message !== commit.message}`,
    CI_COMMIT_TITLE: title,
    CI_COMMIT_DESCRIPTION: message.trimStart().slice(title.length).trim(),
    CI_COMMIT_TIMESTAMP: identitySecond(commit.committer),
    CI_COMMIT_AUTHOR: `${author.name} <${author.email}>`,
  };
}

function ofRun(run: RunFacts): Record<string, string> {
  return {
    CI_CONFIG_PATH: run.configPath,
    CI_PIPELINE_SOURCE: run.source,
    CI_COMMIT_REF_NAME: run.ref,
    CI_COMMIT_REF_SLUG: slug(run.ref),
    CI_COMMIT_REF_PROTECTED: `${run.protected}`,
    ...(run.kind === 'tag' && { CI_COMMIT_TAG: run.ref }),
    ...(run.kind === 'branch' && { CI_COMMIT_BRANCH: run.ref }),
  };
}

/** Variables of the user who started a pipeline or one of its jobs. Rules can use them. */
export function userVariables(user: Pick<User, 'id' | 'username' | 'name' | 'email'>): Record<string, string> {
  return {
    GITLAB_USER_ID: `${user.id}`,
    GITLAB_USER_LOGIN: user.username,
    GITLAB_USER_NAME: user.name,
    GITLAB_USER_EMAIL: user.email,
  };
}

/** Variables that identify the upstream pipeline and the job that triggered this one. */
export function upstreamVariables(
  pipeline: { readonly id: number; readonly project_id: number },
  job: { readonly id: number },
): Record<string, string> {
  return {
    CI_UPSTREAM_PIPELINE_ID: `${pipeline.id}`,
    CI_UPSTREAM_PROJECT_ID: `${pipeline.project_id}`,
    CI_UPSTREAM_JOB_ID: `${job.id}`,
  };
}

function truncate(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= maxMessageBytes ? text : bytes.toString('utf8', 0, maxMessageBytes).replace(/\ufffd$/, '');
}

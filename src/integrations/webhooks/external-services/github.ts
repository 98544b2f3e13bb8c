import type { HookPayload } from '../chats/message.ts';
import type { IntegrationRequest, ReportedEvent } from '../integrations/kind.ts';
import type { Settings } from '../integrations/settings.ts';

/** Returns the API URL of a repository on github.com or on another GitHub server; undefined if it is none. */
export function githubAddress(repositoryUrl: string): string | undefined {
  const url = URL.parse(repositoryUrl);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url.pathname) ?? [];
  if (owner === undefined || name === undefined) return undefined;
  const isPublic = /^(www\.)?github\.com$/.test(url.hostname);
  return `${isPublic ? 'https://api.github.com' : `${url.origin}/api/v3`}/repos/${owner}/${name}`;
}

const states: Readonly<Record<string, 'success' | 'failure' | 'error'>> = {
  success: 'success',
  failed: 'failure',
  canceled: 'error',
  skipped: 'error',
};

/** Returns the request that sets the commit status of a pipeline on GitHub. */
export function githubStatus(
  { payload }: ReportedEvent,
  { static_context }: Settings,
  token: string,
): IntegrationRequest | undefined {
  const { object_attributes: pipeline, project } = payload as HookPayload;
  if (!pipeline?.sha || !pipeline.status) return undefined;
  const { id, sha, ref, status, detailed_status = status, url } = pipeline;
  const { hostname, port } = new URL(project.web_url);
  const host = port === '' ? hostname : `${hostname}:${port}`;
  return {
    body: {
      state: states[status] ?? 'pending',
      target_url: url ?? `${project.web_url}/-/pipelines/${id}`,
      description: `Pipeline ${detailed_status}`.slice(0, 140),
      context: `ci/gitlab/${static_context === false ? ref : host}`,
    },
    suffix: `/statuses/${sha}`,
    authorization: `Bearer ${token}`,
  };
}

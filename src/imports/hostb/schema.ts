import { notBlank, type ParamsOf, param, type Rule, required, withDefault } from '../../platform/http/params.ts';

const text = (description: string) => param.string({ description });
const names = ['username', 'app_password', 'api_token', 'email'] as const;
type Name = (typeof names)[number];

/** Parameters under their documented names and those used by clients. */
export const hostbImport = {
  repo_path: required(text('Source repository as `workspace/repository`')),
  target_namespace: notBlank(required(text('Full path of the target namespace'))),
  new_name: text('Name and path of the project; defaults to the source'),
  hostb_username: text('Username; requires an app password'),
  hostb_app_password: text('App password; requires a username. Deprecated'),
  hostb_api_token: text('API token; requires an email'),
  hostb_email: text('Email; requires an API token'),
  bitbucket_username: text('Username; requires an app password'),
  bitbucket_app_password: text('App password; requires a username. Deprecated'),
  bitbucket_api_token: text('API token; requires an email'),
  bitbucket_email: text('Email; requires an API token'),
};

/** Parameters for choosing a repository. */
export const hostbRepositories = {
  workspace: notBlank(required(text('Workspace of the repositories'))),
  search: text('Part of the name'),
  page: withDefault(param.integer({ description: 'Page number, as returned in `next_page`' }), 1),
  bitbucket_username: hostbImport.bitbucket_username,
  bitbucket_app_password: hostbImport.bitbucket_app_password,
  bitbucket_api_token: hostbImport.bitbucket_api_token,
  bitbucket_email: hostbImport.bitbucket_email,
};
export type HostbRepositoriesParams = ParamsOf<typeof hostbRepositories>;

export type HostbImportParams = ParamsOf<typeof hostbImport>;
/** The credential parameters. */
export type HostbAccess = Partial<Pick<HostbImportParams, `${'hostb' | 'bitbucket'}_${Name}`>>;

/** The value of a parameter, in either spelling. */
export function paramOf(params: HostbAccess, name: Name): string | undefined {
  return params[`hostb_${name}`] ?? params[`bitbucket_${name}`];
}

/** Requires one of two credential pairs. Errors use the names that match the path. */
export const oneCredential =
  (prefix: 'hostb' | 'bitbucket'): Rule =>
  (sent) => {
    const isGiven = (name: Name) => sent[`hostb_${name}`] !== undefined || sent[`bitbucket_${name}`] !== undefined;
    const called = (...list: Name[]) => list.map((name) => `${prefix}_${name}`).join(', ');
    if (isGiven('app_password') && isGiven('api_token')) {
      return `${called('app_password', 'api_token')} are mutually exclusive`;
    }
    if (isGiven('email') !== isGiven('api_token')) {
      return `${called('email', 'api_token')} provide all or none of parameters`;
    }
    if (isGiven('username') !== isGiven('app_password')) {
      return `${called('username', 'app_password')} provide all or none of parameters`;
    }
    return isGiven('api_token') || isGiven('app_password')
      ? undefined
      : `${called('app_password', 'api_token')} are missing, at least one parameter must be provided`;
  };

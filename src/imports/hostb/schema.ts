import { notBlank, type ParamsOf, param, type Rule, required, withDefault } from '../../platform/http/params.ts';

const text = (description: string) => param.string({ description });
const names = ['username', 'app_password', 'api_token', 'email'] as const;
type Name = (typeof names)[number];

/** Under the names of the documents and those that clients use. */
export const hostbImport = {
  repo_path: required(text('workspace/repository there')),
  target_namespace: notBlank(required(text('Full path of a namespace'))),
  new_name: text('Name and path of the project; as there unless told'),
  hostb_username: text('With an app password'),
  hostb_app_password: text('With a user name; deprecated'),
  hostb_api_token: text('With an address'),
  hostb_email: text('With an API token'),
  bitbucket_username: text('With an app password'),
  bitbucket_app_password: text('With a user name; deprecated'),
  bitbucket_api_token: text('With an address'),
  bitbucket_email: text('With an API token'),
};

/** Which repositories somebody may choose from. */
export const hostbRepositories = {
  workspace: notBlank(required(text('Whose repositories'))),
  search: text('A part of the name'),
  page: withDefault(param.integer({ description: 'What the page before said is the next' }), 1),
  bitbucket_username: hostbImport.bitbucket_username,
  bitbucket_app_password: hostbImport.bitbucket_app_password,
  bitbucket_api_token: hostbImport.bitbucket_api_token,
  bitbucket_email: hostbImport.bitbucket_email,
};
export type HostbRepositoriesParams = ParamsOf<typeof hostbRepositories>;

export type HostbImportParams = ParamsOf<typeof hostbImport>;
/** Those of them that tell who asks. */
export type HostbAccess = Partial<Pick<HostbImportParams, `${'hostb' | 'bitbucket'}_${Name}`>>;

/** What was sent under a name, in either spelling. */
export function sentAs(params: HostbAccess, name: Name): string | undefined {
  return params[`hostb_${name}`] ?? params[`bitbucket_${name}`];
}

/** Who asks is told in one of two ways, each of two parts; parameters are called as the path is. */
export const oneCredential =
  (prefix: 'hostb' | 'bitbucket'): Rule =>
  (sent) => {
    const given = (name: Name) => sent[`hostb_${name}`] !== undefined || sent[`bitbucket_${name}`] !== undefined;
    const called = (...list: Name[]) => list.map((name) => `${prefix}_${name}`).join(', ');
    if (given('app_password') && given('api_token')) {
      return `${called('app_password', 'api_token')} are mutually exclusive`;
    }
    if (given('email') !== given('api_token')) {
      return `${called('email', 'api_token')} provide all or none of parameters`;
    }
    if (given('username') !== given('app_password')) {
      return `${called('username', 'app_password')} provide all or none of parameters`;
    }
    return given('api_token') || given('app_password')
      ? undefined
      : `${called('app_password', 'api_token')} are missing, at least one parameter must be provided`;
  };

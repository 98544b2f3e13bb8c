import { type ParamMap, type ParamsOf, param, type Rule, required, withDefault } from '../../platform/http/params.ts';

const text = (description: string) => param.string({ description });

const fields = {
  personal_access_token: required(text('Personal access token or password')),
  new_name: text('Name and path of the project; defaults to the source'),
  target_namespace: text('Full path of the target namespace; defaults to the personal namespace'),
  new_namespace: text('Alias of `target_namespace`'),
  timeout_strategy: param.oneOf(['optimistic', 'pessimistic']),
};

/** Parameters under their documented names and those used by clients. */
export const serverImport = {
  ...fields,
  hostb_server_url: text('URL of the server'),
  hostb_server_username: text("Username of the token's owner"),
  hostb_server_project: text('Key of the source project'),
  hostb_server_repo: text('Source repository'),
  bitbucket_server_url: text('URL of the server'),
  bitbucket_server_username: text("Username of the token's owner"),
  bitbucket_server_project: text('Key of the source project'),
  bitbucket_server_repo: text('Source repository'),
} satisfies ParamMap;

/** Parameters for choosing a repository. */
export const serverRepositories = {
  personal_access_token: fields.personal_access_token,
  bitbucket_server_url: required(text('URL of the server')),
  bitbucket_server_username: required(text("Username of the token's owner")),
  search: text('Part of the name'),
  page: withDefault(param.integer({ description: 'Page number, as returned in `next_page`' }), 0),
};
export type ServerRepositoriesParams = ParamsOf<typeof serverRepositories>;

const requiredNames = ['url', 'username', 'project', 'repo'] as const;

/** Requires each parameter under one of its names; errors use the name that matches the path. */
export const requireAs =
  (prefix: 'hostb_server' | 'bitbucket_server'): Rule =>
  (sent) => {
    const missing = requiredNames.filter(
      (name) => sent[`hostb_server_${name}`] === undefined && sent[`bitbucket_server_${name}`] === undefined,
    );
    return missing.length === 0 ? undefined : missing.map((name) => `${prefix}_${name} is missing`).join(', ');
  };

export type ServerImportParams = ParamsOf<typeof serverImport>;

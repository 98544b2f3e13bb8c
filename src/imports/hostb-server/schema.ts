import { type ParamMap, type ParamsOf, param, type Rule, required, withDefault } from '../../platform/http/params.ts';

const text = (description: string) => param.string({ description });

const fields = {
  personal_access_token: required(text('A token of the other host, or a password')),
  new_name: text('Name and path of the project; as there unless told'),
  target_namespace: text("Full path of a namespace; the caller's own unless told"),
  new_namespace: text('Another name of target_namespace'),
  timeout_strategy: param.oneOf(['optimistic', 'pessimistic']),
};

/** Under the names of the documents and those that clients use. */
export const serverImport = {
  ...fields,
  hostb_server_url: text('The address of the server'),
  hostb_server_username: text('Who the token belongs to'),
  hostb_server_project: text('The key of the project there'),
  hostb_server_repo: text('The repository there'),
  bitbucket_server_url: text('The address of the server'),
  bitbucket_server_username: text('Who the token belongs to'),
  bitbucket_server_project: text('The key of the project there'),
  bitbucket_server_repo: text('The repository there'),
} satisfies ParamMap;

/** Which repositories somebody may choose from. */
export const serverRepositories = {
  personal_access_token: fields.personal_access_token,
  bitbucket_server_url: required(text('The address of the server')),
  bitbucket_server_username: required(text('Who the token belongs to')),
  search: text('A part of the name'),
  page: withDefault(param.integer({ description: 'What the page before said is the next' }), 0),
};
export type ServerRepositoriesParams = ParamsOf<typeof serverRepositories>;

const needed = ['url', 'username', 'project', 'repo'] as const;

/** Each is needed under one of its names; the one that is missing is called as the path was. */
export const neededAs =
  (prefix: 'hostb_server' | 'bitbucket_server'): Rule =>
  (sent) => {
    const missing = needed.filter(
      (name) => sent[`hostb_server_${name}`] === undefined && sent[`bitbucket_server_${name}`] === undefined,
    );
    return missing.length === 0 ? undefined : missing.map((name) => `${prefix}_${name} is missing`).join(', ');
  };

export type ServerImportParams = ParamsOf<typeof serverImport>;

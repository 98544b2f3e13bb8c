import { notBlank, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';

const pageSizes = Array.from({ length: 100 }, (_, at) => at + 1);

const hostname = { description: 'URL of a GitHub Enterprise server; defaults to github.com' };

/** Parameters under their documented names and those used by clients. */
export const hostaImport = {
  personal_access_token: required(param.string({ description: 'Personal access token of the source host' })),
  repo_id: required(param.integer({ description: 'ID of the source repository' })),
  target_namespace: notBlank(required(param.string({ description: 'Full path of a namespace' }))),
  hosta_hostname: param.string(hostname),
  github_hostname: param.string(hostname),
  new_name: param.string({ description: 'Name and path of the project; defaults to the source' }),
  optional_stages: param.hash({
    attachments_import: param.boolean(),
    collaborators_import: param.boolean(),
    single_endpoint_notes_import: param.boolean(),
  }),
  pagination_limit: param.integerOf(pageSizes, { description: 'Page size of requests to the source host' }),
  timeout_strategy: param.oneOf(['optimistic', 'pessimistic']),
};

/** Parameters for choosing a repository. */
export const hostaRepositories = {
  personal_access_token: hostaImport.personal_access_token,
  hosta_hostname: param.string(hostname),
  github_hostname: param.string(hostname),
  search: param.string({ description: 'Part of the name' }),
  page: withDefault(param.integer({ description: 'Page number, as returned in `next_page`' }), 1),
};
export type HostaRepositoriesParams = ParamsOf<typeof hostaRepositories>;

export const cancellation = { project_id: required(param.integer()) };

export const gistImport = { personal_access_token: required(param.string()) };

export type HostaImportParams = ParamsOf<typeof hostaImport>;

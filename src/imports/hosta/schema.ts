import { notBlank, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';

const pageSizes = Array.from({ length: 100 }, (_, at) => at + 1);

const hostname = { description: 'The address of an Enterprise server; without it, the public service' };

/** Under the names of the documents and those that clients use. */
export const hostaImport = {
  personal_access_token: required(param.string({ description: 'A token of the other host' })),
  repo_id: required(param.integer({ description: 'The number of the repository there' })),
  target_namespace: notBlank(required(param.string({ description: 'Full path of a namespace' }))),
  hosta_hostname: param.string(hostname),
  github_hostname: param.string(hostname),
  new_name: param.string({ description: 'Name and path of the project; as there unless told' }),
  optional_stages: param.hash({
    attachments_import: param.boolean(),
    collaborators_import: param.boolean(),
    single_endpoint_notes_import: param.boolean(),
  }),
  pagination_limit: param.integerOf(pageSizes, { description: 'How much is asked for at once' }),
  timeout_strategy: param.oneOf(['optimistic', 'pessimistic']),
};

/** Which repositories somebody may choose from. */
export const hostaRepositories = {
  personal_access_token: hostaImport.personal_access_token,
  hosta_hostname: param.string(hostname),
  github_hostname: param.string(hostname),
  search: param.string({ description: 'A part of the name' }),
  page: withDefault(param.integer({ description: 'What the page before said is the next' }), 1),
};
export type HostaRepositoriesParams = ParamsOf<typeof hostaRepositories>;

export const cancellation = { project_id: required(param.integer()) };

export const gistImport = { personal_access_token: required(param.string()) };

export type HostaImportParams = ParamsOf<typeof hostaImport>;

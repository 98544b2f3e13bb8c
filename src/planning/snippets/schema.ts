import Type, { type Static } from 'typebox';
import { visibilityNames } from '../../access/roles.ts';
import { BasicUser } from '../../people/users/public.ts';
import {
  atLeastOneOf,
  exactlyOneOf,
  mutuallyExclusive,
  notBlank,
  type ParamsOf,
  param,
  type Rule,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { snippetList } from './list.ts';

export const Snippet = entity('Snippet', {
  id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  visibility: Type.String(),
  author: BasicUser,
  created_at: timestamp(),
  updated_at: timestamp(),
  project_id: nullable(Type.Integer()),
  web_url: Type.String(),
  raw_url: Type.String(),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
  file_name: nullable(Type.String()),
  files: Type.Array(Type.Object({ path: Type.String(), raw_url: Type.String() })),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  repository_storage: Type.Optional(Type.String()),
});
export type SnippetEntity = Static<typeof Snippet>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
const snippet_id = { snippet_id: required(param.integer()) };

export const oneOfProject = { ...project, ...snippet_id };
export const onePersonal = { id: required(param.integer()) };
export const ofProject = project;
const { search: _search, ...filters } = snippetList.params;
export const listed = filters;

const file = {
  ref: required(param.string()),
  file_path: required(param.string({ description: 'URL-encoded path from the root of the repository' })),
};
export const personalFile = { ...onePersonal, ...file };
export const projectFile = { ...oneOfProject, ...file };

const visibility = param.oneOf(visibilityNames);

const newFiles = {
  title: notBlank(required(param.string())),
  description: param.string(),
  files: param.hashes({
    file_path: notBlank(required(param.string())),
    content: notBlank(required(param.string())),
  }),
  content: notBlank(param.string()),
  file_name: param.string(),
};
export const newPersonal = { ...newFiles, visibility: withDefault(visibility, 'internal') };
export const newInProject = { ...project, ...newFiles, visibility: required(visibility) };

/** `content` requires `file_name`, which may be blank. */
const namedContent: Rule = ({ content, file_name }) =>
  content !== undefined && file_name === undefined ? 'file_name is missing' : undefined;
export const newRules = [exactlyOneOf('files', 'content'), namedContent];

const change = {
  title: notBlank(param.string()),
  description: param.string(),
  visibility,
  content: notBlank(param.string()),
  file_name: param.string(),
  files: param.hashes({
    action: required(param.oneOf(['create', 'update', 'delete', 'move'])),
    file_path: param.string(),
    previous_path: param.string(),
    content: param.string(),
  }),
};
export const personalChange = { ...onePersonal, ...change };
export const projectChange = { ...oneOfProject, ...change };
export const changeRules = [
  mutuallyExclusive('files', 'content'),
  mutuallyExclusive('files', 'file_name'),
  atLeastOneOf('content', 'description', 'files', 'file_name', 'title', 'visibility'),
];

export type NewSnippetParams = ParamsOf<typeof newPersonal>;
export type SnippetChangeParams = ParamsOf<typeof change>;
export type FileParams = ParamsOf<typeof file>;
export type SnippetListParams = ParamsOf<typeof listed>;

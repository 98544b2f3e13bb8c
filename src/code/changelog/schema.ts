import Type from 'typebox';
import { notBlank, param, type Rule, required, withDefault } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';
import { holdsVersion } from './version.ts';

export const Changelog = entity('Changelog', { notes: Type.String() });

export const query = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  version: notBlank(required(param.string({ description: 'Semantic version' }))),
  from: param.string({ description: 'Commit to start after; defaults to the tag of the previous version' }),
  to: param.string({ description: 'Last commit to include' }),
  date: param.dateTime(),
  trailer: withDefault(param.string(), 'Changelog'),
  config_file: param.string(),
  config_file_ref: param.string(),
};
export const addition = {
  ...query,
  branch: param.string(),
  file: withDefault(param.string(), 'CHANGELOG.md'),
  message: param.string(),
};

/** The version must contain a semantic version. */
export const validVersion: Rule = ({ version }) =>
  typeof version === 'string' && version.trim() !== '' && !holdsVersion(version) ? 'version is invalid' : undefined;

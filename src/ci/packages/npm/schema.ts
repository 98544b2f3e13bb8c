import Type from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';

const tags = Type.Record(Type.String(), Type.String());
export const NpmTags = tags;
export const NpmDocument = entity('NpmPackage', {
  name: Type.String(),
  'dist-tags': tags,
  versions: Type.Record(Type.String(), Type.Object({ name: Type.String(), version: Type.String() })),
});
export const NpmPublished = entity('NpmPublished', { message: Type.String() });
export const NpmCaller = entity('NpmCaller', { username: Type.String() });

const rest = (description: string) => ({ '*': required(param.string({ description })) });
export const packageOrFile = rest('Package name, optionally followed by `/-/` and a file name');
export const tagsOrTag = rest('Package name, `/dist-tags`, and optionally a tag');

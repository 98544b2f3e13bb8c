import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../../../platform/http/params.ts';
import { entity, nullable } from '../../../../platform/http/schema.ts';
import { group, project } from '../../schema.ts';

export const Distribution = entity('DebianDistribution', {
  id: Type.Integer(),
  codename: Type.String(),
  suite: nullable(Type.String()),
  origin: nullable(Type.String()),
  label: nullable(Type.String()),
  version: nullable(Type.String()),
  description: nullable(Type.String()),
  valid_time_duration_seconds: nullable(Type.Integer()),
  components: Type.Array(Type.String()),
  architectures: Type.Array(Type.String()),
});
export type DistributionEntity = Static<typeof Distribution>;

const codename = param.string({ description: 'Codename, e.g. `sid`' });
const suite = param.string({ description: 'Suite: another name, e.g. `unstable`' });

const fields = {
  suite,
  origin: param.string({ description: 'Origin in the release' }),
  label: param.string({ description: 'Label in the release' }),
  version: param.string({ description: 'Version in the release' }),
  description: param.string({ description: 'Description in the release' }),
  valid_time_duration_seconds: param.integer({ description: 'For how long a release is valid; at least a day' }),
  components: param.strings({ description: 'Components; `main` by default' }),
  architectures: param.strings({ description: 'Architectures besides `all`; `amd64` by default' }),
};
const listing = { codename, suite };
const named = { codename: required(codename) };

export const ofProject = {
  listing: { ...project, ...listing },
  one: { ...project, ...named },
  changed: { ...project, ...named, ...fields },
};
export const ofGroup = {
  listing: { ...group, ...listing },
  one: { ...group, ...named },
  changed: { ...group, ...named, ...fields },
};

export type DistributionFilter = Omit<ParamsOf<typeof ofProject.listing>, 'id'>;
export type DistributionFields = Omit<ParamsOf<typeof ofProject.changed>, 'id' | 'codename'>;

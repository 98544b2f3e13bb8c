import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const fields = {
  variable_type: Type.String(),
  key: Type.String(),
  value: nullable(Type.String()),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  description: nullable(Type.String()),
};

/** A variable of a project or group. */
export const Variable = entity('Variable', { ...fields, hidden: Type.Boolean(), environment_scope: Type.String() });
/** A variable of the instance. It has no environment scope and is never hidden. */
export const InstanceVariable = entity('InstanceVariable', fields);
export type VariableEntity = Static<typeof Variable>;

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
const types = ['env_var', 'file'] as const;

const attributes = {
  protected: param.boolean({ description: 'Expose only to jobs on protected branches and tags' }),
  masked: param.boolean({ description: 'Mask the value in job logs' }),
  raw: param.boolean({ description: 'Do not expand references to other variables in the value' }),
  variable_type: param.oneOf(types, { description: '`file`: jobs get the path of a file that contains the value' }),
  description: orNull(param.string()),
};
const scope = { environment_scope: param.string({ description: 'Environment name; `*` matches any text' }) };
const named = { key: required(param.string()) };
const filter = {
  filter: param.hash(
    { environment_scope: param.string() },
    { description: 'Selects one of several variables with the same key' },
  ),
};

export const newInstanceVariable = {
  ...named,
  value: required(param.string()),
  ...attributes,
  variable_type: withDefault(attributes.variable_type, 'env_var' as const),
};
export const newVariable = {
  ...owner,
  ...newInstanceVariable,
  ...scope,
  masked_and_hidden: param.boolean({ description: 'Mask the value in job logs and never show it again' }),
};

export const oneInstanceVariable = named;
export const oneVariable = { ...owner, ...named, ...filter };
export const instanceVariableChange = { ...named, value: param.string(), ...attributes };
export const variableChange = { ...owner, ...instanceVariableChange, ...scope, ...filter };

export type NewVariable = ParamsOf<typeof newInstanceVariable> & Partial<ParamsOf<typeof newVariable>>;
export type VariableChangeParams = ParamsOf<typeof instanceVariableChange> & Partial<ParamsOf<typeof variableChange>>;

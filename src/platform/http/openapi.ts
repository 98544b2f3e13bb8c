import { type AnyEndpoint, pathParams } from './endpoint.ts';
import { objectSchema, type ParamMap } from './params.ts';

type Json = Record<string, unknown>;

/** `/users/:id(^\\d+$)/keys/*` -> `/api/v4/users/{id}/keys/{path}`. */
export function openApiPath(path: string): string {
  return `/api/v4${path.replace(/:([A-Za-z_]+)(\([^)]*\))?/g, '{$1}').replace(/\*$/, '{path}')}`;
}

/** Schemas with a title become components, listed once; `nullable` becomes the 3.1 form. */
function schemaOf(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => schemaOf(inner, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { title, nullable, properties, ...rest } = schema as Json;
  const plain = innerOf(rest, components);
  // Titles are internal names and mean nothing to readers of the document.
  if (properties) plain.properties = innerOf(properties as Json, components);
  let result: Json = plain;
  if (typeof title === 'string') {
    components[title] ??= plain;
    result = { $ref: `#/components/schemas/${title}` };
  }
  if (!nullable) return result;
  if (typeof result.type === 'string') return { ...result, type: [result.type, 'null'] };
  return { anyOf: [result, { type: 'null' }] };
}

function innerOf(schema: Json, components: Json): Json {
  return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, schemaOf(inner, components)]));
}

function parametersOf(endpoint: AnyEndpoint<never>, inPath: readonly string[], inQuery: boolean): Json[] {
  const params = endpoint.params as ParamMap;
  const path = inPath.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: params[name]?.schema ?? { type: 'string' },
  }));
  if (endpoint.path.endsWith('*')) path.push({ name: 'path', in: 'path', required: true, schema: { type: 'string' } });
  if (!inQuery) return path;
  const query = Object.entries(params)
    .filter(([name]) => !inPath.includes(name) && name !== '*')
    .map(([name, field]) => {
      const list = field.schema.type === 'array';
      const hash = field.schema.type === 'object';
      return {
        name: list ? `${name}[]` : name,
        in: 'query',
        required: field.presence === 'required',
        schema: field.schema,
        ...(hash ? { style: 'deepObject', explode: true } : {}),
      };
    });
  const paging = endpoint.paginated
    ? [
        { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
        { name: 'per_page', in: 'query', schema: { type: 'integer', default: 20, maximum: 100 } },
      ]
    : [];
  return [...path, ...query, ...paging];
}

function requestBody(endpoint: AnyEndpoint<never>, inPath: readonly string[]): Json {
  const fields = Object.fromEntries(
    Object.entries(endpoint.params as ParamMap).filter(([name]) => !inPath.includes(name) && name !== '*'),
  );
  if (Object.keys(fields).length === 0) return {};
  const schema = { type: 'object', ...objectSchema(fields) };
  const hasFile = Object.values(fields).some((field) => field.schema.format === 'binary');
  const types = hasFile
    ? ['multipart/form-data']
    : ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return { requestBody: { required: (schema.required ?? []).length > 0, content } };
}

function operation(endpoint: AnyEndpoint<never>, components: Json): Json {
  const inPath = pathParams(endpoint.path);
  const inQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE';
  const responses: Json = {};
  for (const [status, schema] of Object.entries(endpoint.responses)) {
    const content = schema ? { content: { 'application/json': { schema: schemaOf(schema, components) } } } : {};
    responses[status] = { description: endpoint.summary, ...content };
  }
  responses['4XX'] = { description: 'Client error', content: { 'application/json': { schema: { type: 'object' } } } };
  const { subject, ability } = endpoint.gate.asks;
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    tags: [endpoint.tag],
    parameters: parametersOf(endpoint, inPath, inQuery),
    ...(inQuery ? {} : requestBody(endpoint, inPath)),
    responses,
    security: subject === 'anyone' ? [{}, { token: [] }, { bearer: [] }] : [{ token: [] }, { bearer: [] }],
    'x-subject': subject,
    ...(ability ? { 'x-ability': ability } : {}),
  };
}

/** `get_projects_id`; the dash in some paths becomes a word of its own. */
function operationIdOf({ method, path }: Pick<AnyEndpoint<never>, 'method' | 'path'>): string {
  const words = path.replace(/\([^()]*\)/g, '').replaceAll('/-/', '/dash/');
  return `${method.toLowerCase()}${words.replace(/[^A-Za-z0-9]+/g, '_')}`;
}

/** The OpenAPI 3.1 document of the mounted endpoints. */
export function openApiDocument(endpoints: readonly AnyEndpoint<never>[], version: string, url: string): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = openApiPath(endpoint.path);
    paths[path] ??= {};
    paths[path][endpoint.method.toLowerCase()] = operation(endpoint, components);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Hearth', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

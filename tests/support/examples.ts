import type { Route } from '../../src/access/route.ts';
import { pathParams } from '../../src/platform/http/endpoint.ts';
import type { ParamMap } from '../../src/platform/http/params.ts';

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

/** Returns a valid value for a parameter schema. */
export function exampleValue(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (schema.format === 'date') return '2030-01-01';
  if (schema.format === 'date-time') return '2030-01-01T00:00:00Z';
  if (schema.format === 'binary') return '';
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [exampleValue(schema.items ?? {})];
  if (type === 'object') {
    const names = schema.required ?? [];
    return Object.fromEntries(names.map((name) => [name, exampleValue(schema.properties?.[name] ?? {})]));
  }
  return 'example';
}

/** Returns the required parameters of a route and the first optional one, for routes that require at least one. */
export function exampleParams(route: Route): Record<string, unknown> {
  const inPath = new Set(pathParams(route.path));
  const params = route.params as ParamMap;
  const names = Object.keys(params).filter((name) => !inPath.has(name) && name !== '*');
  const must = names.filter((name) => params[name]?.presence === 'required');
  const chosen = must.length > 0 ? must : names.slice(0, 1);
  return Object.fromEntries(chosen.map((name) => [name, exampleValue(params[name]?.schema as Schema)]));
}

/** Returns the URL of a route with path parameters from `values`, or else example values. */
export function examplePath(route: Route, values: Readonly<Record<string, string>>): string {
  const params = route.params as ParamMap;
  return route.path
    .replace(/:([A-Za-z_]+)(\([^)]*\))?/g, (_match, name: string) => {
      const value = values[name] ?? String(exampleValue((params[name]?.schema ?? { type: 'string' }) as Schema));
      return encodeURIComponent(value);
    })
    .replace(/\*$/, 'example');
}

/** Sends parameters as a query string for reads and deletes, otherwise as a JSON body. */
export function exampleRequest(route: Route, path: string): { call: string; json?: unknown } {
  const params = exampleParams(route);
  if (route.method !== 'GET' && route.method !== 'DELETE') return { call: `${route.method} ${path}`, json: params };
  const query = Object.entries(params)
    .flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((one) => [`${name}[]`, one]) : typeof value === 'object' ? [] : [[name, value]],
    )
    .map(([name, value]) => `${encodeURIComponent(String(name))}=${encodeURIComponent(String(value))}`);
  return { call: `${route.method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}` };
}

import {
  TemplateError,
  type TemplateNode,
  type TemplateRecord,
  type TemplateValue,
  templateLimits,
} from './template.ts';

const timeout = 'Template parser timeout. Consider reducing the size of the template';

/** Renders a template. Throws `TemplateError` when it exceeds the limits. */
export function fillTemplate(nodes: readonly TemplateNode[], data: TemplateValue): string {
  const printed: string[] = [];
  let length = 0;
  let steps = 0;
  const print = (text: string) => {
    length += text.length;
    if (length > templateLimits.output) throw new TemplateError(timeout);
    printed.push(text);
  };
  const run = (body: readonly TemplateNode[], scope: TemplateValue): void => {
    for (const node of body) {
      if (++steps > templateLimits.steps) throw new TemplateError(timeout);
      if (node.kind === 'text') print(node.text);
      else if (node.kind === 'value') print(textOf(lookUp(scope, node.path)));
      else if (node.kind === 'if') run(isTruthy(lookUp(scope, node.path)) ? node.yes : node.no, scope);
      else for (const each of elements(lookUp(scope, node.path))) run(node.body, each);
    }
  };
  run(nodes, data);
  return printed.join('');
}

function lookUp(scope: TemplateValue, path: readonly string[]): TemplateValue {
  let value = scope;
  for (const [i, name] of path.entries()) {
    if (i === 0 && name === 'it') continue;
    value = stepInto(value, name);
  }
  return value;
}

function stepInto(value: TemplateValue, name: string): TemplateValue {
  if (Array.isArray(value)) return /^\d/.test(name) ? value[Number(name)] : undefined;
  // Own properties only: templates must not reach inherited properties.
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as TemplateRecord)[name];
}

function elements(value: TemplateValue): readonly TemplateValue[] {
  return Array.isArray(value) ? value : [];
}

function isTruthy(value: TemplateValue): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  if (typeof value !== 'object') return true;
  return Object.keys(value).length > 0;
}

function textOf(value: TemplateValue): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

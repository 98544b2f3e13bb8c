import { createHash } from 'node:crypto';
import { Mutex } from '../../../platform/concurrency.ts';
import type {
  CompileContext,
  ConfigOrigin,
  ConfigSource,
  ContextVariable,
  IncludedFile,
  IncludeRequest,
  Limits,
} from '../context.ts';
import { ConfigFault, Positions, Problems } from '../errors.ts';
import type { VariableLookup } from '../expressions/expression.ts';
import type { Budget } from '../limits.ts';
import { readYamlFile } from '../long-files/read.ts';
import type { LintInclude } from '../result.ts';
import type { RuleMatcher, RuleVariables } from '../rules/rule-match.ts';
import { Expansion } from '../variables/variable-expansion.ts';
import { deepMerge } from '../yaml/merge.ts';
import { fromPlain, isMapping, type Mapping, type Value } from '../yaml/values.ts';
import type { YamlFile } from '../yaml/yaml.ts';
import { type IncludeEntry, readIncludes } from './include-entry.ts';
import { resolveInputs, withSharedInputs } from './inputs.ts';
import { interpolate } from './interpolation.ts';

/** A file merged with everything it includes, in order. */
interface Loaded {
  readonly merged: Mapping;
  readonly lines: readonly { readonly file: string | null; readonly lines: YamlFile['lines'] }[];
  readonly includes: readonly LintInclude[];
}

/** Loads a configuration with all its includes. */
export class Loader {
  private readonly context: CompileContext;
  private readonly limits: Limits;
  private readonly budget: Budget;
  private readonly matcher: RuleMatcher;
  private readonly settings: readonly ContextVariable[];
  private readonly lookup: VariableLookup;
  private readonly variables: RuleVariables;
  /**
   * Reads included files one at a time: they are resolved concurrently and would fill the queue of the parser thread.
   */
  private readonly turns = new Mutex();
  private files = 0;
  private bytes = 0;

  constructor(context: CompileContext, limits: Limits, budget: Budget, matcher: RuleMatcher) {
    this.context = context;
    this.limits = limits;
    this.budget = budget;
    this.matcher = matcher;
    const predefined = Object.entries(context.predefined).map(([key, value]) => ({ key, value }));
    this.settings = [...predefined, ...context.variables(null)];
    const byName = new Map(this.settings.map((variable) => [variable.key, variable]));
    this.lookup = (name) => byName.get(name)?.value;
    this.variables = {
      raw: this.lookup,
      expanded: () => {
        const expansion = new Expansion((name) => byName.get(name));
        return (name) => expansion.value(name);
      },
    };
  }

  /** Loads the root file with its header and includes. */
  async root(text: string, inputs: Mapping, positions: Positions): Promise<Loaded> {
    return this.recordPositions(await this.load(text, null, this.context.origin, inputs, positions), positions);
  }

  /** Loads a list of includes, as given by a trigger. */
  async list(include: readonly Mapping[], positions: Positions): Promise<Loaded> {
    const content: Mapping = new Map([['include', include]]);
    return this.recordPositions(await this.withIncludes(content, null, [], this.context.origin, positions), positions);
  }

  /** The header of the root file, or of the external file that a project uses instead; null when it has none. */
  async header(source: ConfigSource, positions: Positions): Promise<Mapping | null> {
    const { origin: root } = this.context;
    const [file] =
      'text' in source
        ? [{ text: source.text, origin: root, location: null }]
        : await this.externalFiles(source.include);
    if (file === undefined) return null;
    const { text, origin, location } = file;
    this.account(text, location);
    const { header } = await readYamlFile(text, location, this.budget);
    return header && this.headerOf(header, location, origin, positions);
  }

  private async externalFiles(include: readonly Readonly<Record<string, unknown>>[]): Promise<readonly IncludedFile[]> {
    const problems = new Problems(new Positions());
    const entries = readIncludes(include.map(fromPlain), this.lookup, problems);
    const request = entries[0]?.requests[0];
    return request === undefined ? [] : this.filesOf(request, null, this.context.origin);
  }

  private recordPositions(loaded: Loaded, positions: Positions): Loaded {
    for (const { file, lines } of loaded.lines) for (const [path, line] of lines) positions.set(path, { line, file });
    return loaded;
  }

  private async load(
    text: string,
    file: string | null,
    origin: ConfigOrigin,
    inputs: Mapping,
    positions: Positions,
  ): Promise<Loaded> {
    this.account(text, file);
    const yaml = await this.turns.run(() => readYamlFile(text, file, this.budget));
    const header = yaml.header && (await this.headerOf(yaml.header, file, origin, positions));
    const content = this.interpolated({ ...yaml, header }, file, origin, inputs);
    if (!isMapping(content)) {
      if (file !== null) throw new ConfigFault(`Included file \`${file}\` does not have valid YAML syntax!`, 1, file);
      const empty = content === null || content === '';
      throw new ConfigFault(empty ? 'Please provide content of .gitlab-ci.yml' : 'Invalid configuration format', 1);
    }
    return this.withIncludes(content, file, yaml.lines, origin, positions);
  }

  private account(text: string, file: string | null): void {
    const bytes = Buffer.byteLength(text);
    this.bytes += bytes;
    if (bytes > this.limits.fileBytes || this.bytes > this.limits.totalBytes) {
      throw new ConfigFault('The parsed YAML is too big', null, file);
    }
  }

  /** The header of a file, merged with the inputs of its `spec:include`. */
  private async headerOf(
    header: Mapping,
    file: string | null,
    origin: ConfigOrigin,
    positions: Positions,
  ): Promise<Mapping> {
    const spec = header.get('spec');
    const include = isMapping(spec) ? spec.get('include') : undefined;
    if (include === undefined || include === null) return header;
    const fault = (text: string) => new ConfigFault(`${file === null ? '' : `\`${file}\`: `}${text}`, null, file);
    if (origin.component) throw fault('header:spec:include config cannot be used in components');
    const problems = new Problems(positions);
    const entries = readIncludes(include, this.lookup, problems);
    const first = problems.errors[0];
    if (first !== undefined) throw fault(first.message);
    const shared: { location: string; content: Value }[] = [];
    for (const { requests, integrity, rules, inputs } of entries) {
      if (rules !== null || inputs.size > 0) throw fault('header:spec:include config takes neither rules nor inputs');
      for (const request of requests) {
        if (!['local', 'remote', 'project'].includes(request.type)) {
          throw fault('header:spec:include config should use one of: local, remote, project');
        }
        for (const { text, location } of await this.filesOf(request, integrity, origin)) {
          this.account(text, location);
          const { content } = await this.turns.run(() => readYamlFile(text, location, this.budget));
          shared.push({ location, content });
        }
      }
    }
    const joined = withSharedInputs(header, shared);
    if ('error' in joined) throw fault(joined.error);
    return joined.header;
  }

  private interpolated(yaml: YamlFile, file: string | null, origin: ConfigOrigin, inputs: Mapping) {
    const prefix = file === null ? '' : `\`${file}\`: `;
    if (yaml.header === null) {
      if (inputs.size === 0) return yaml.content;
      const text = 'Given inputs not defined in the `spec` section of the included configuration file';
      throw new ConfigFault(`${prefix}${text}`, null, file);
    }
    const resolved = resolveInputs(yaml.header, inputs);
    if ('errors' in resolved) throw new ConfigFault(`${prefix}${resolved.errors.join(', ')}`, null, file);
    const scope = {
      inputs: resolved.values,
      component: origin.component ?? {},
      variables: this.settings,
      budget: this.budget,
    };
    try {
      return interpolate(yaml.content, scope);
    } catch (error) {
      if (error instanceof ConfigFault) throw new ConfigFault(`${prefix}${error.message}`, null, file);
      throw error;
    }
  }

  private async withIncludes(
    content: Mapping,
    file: string | null,
    lines: YamlFile['lines'],
    origin: ConfigOrigin,
    positions: Positions,
  ): Promise<Loaded> {
    const problems = new Problems(positions);
    const entries = readIncludes(content.get('include'), this.lookup, problems);
    const line = lines.find(([path]) => path[0] === 'include')?.[1] ?? null;
    const first = problems.errors[0];
    if (first !== undefined) throw new ConfigFault(first.message, line, file);
    const parts = await this.entries(entries, origin, positions).catch((error: unknown) => {
      // Attribute failed includes to the line of the `include` keyword.
      throw error instanceof ConfigFault && error.line === null ? new ConfigFault(error.message, line, file) : error;
    });
    let merged: Mapping = new Map();
    for (const part of parts) merged = deepMerge(merged, part.merged);
    const own = new Map(content);
    own.delete('include');
    return {
      merged: deepMerge(merged, own),
      lines: [...parts.flatMap((part) => part.lines), { file, lines }],
      includes: parts.flatMap((part) => part.includes),
    };
  }

  /** Loads entries concurrently, as some are remote; their order is kept. */
  private async entries(list: readonly IncludeEntry[], origin: ConfigOrigin, positions: Positions): Promise<Loaded[]> {
    return (await Promise.all(list.map((entry) => this.entry(entry, origin, positions)))).flat();
  }

  private async entry(entry: IncludeEntry, origin: ConfigOrigin, positions: Positions): Promise<Loaded[]> {
    if (entry.rules !== null) {
      const foreign = origin.project !== this.context.origin.project || origin.sha !== this.context.origin.sha;
      const at = foreign ? { project: origin.project, ref: origin.sha } : null;
      const rule = await this.matcher.first(entry.rules, this.variables, at);
      if (rule === undefined || rule.when === 'never') return [];
    }
    const groups = await Promise.all(
      entry.requests.map((request) => this.requested(request, entry, origin, positions)),
    );
    return groups.flat();
  }

  private async requested(
    request: IncludeRequest,
    entry: IncludeEntry,
    origin: ConfigOrigin,
    positions: Positions,
  ): Promise<Loaded[]> {
    const loaded: Loaded[] = [];
    for (const file of await this.filesOf(request, entry.integrity, origin)) {
      const nested = await this.load(file.text, file.location, file.origin, entry.inputs, positions);
      loaded.push({ ...nested, includes: [lintInclude(request, file, origin), ...nested.includes] });
    }
    return loaded;
  }

  /** The files of an include: several, or none, when it has wildcards. */
  private async filesOf(
    request: IncludeRequest,
    integrity: string | null,
    origin: ConfigOrigin,
  ): Promise<readonly IncludedFile[]> {
    this.count();
    requireYamlExtension(request);
    const answer = await this.context.includes.resolve(request, origin);
    if ('error' in answer) throw new ConfigFault(answer.error);
    for (const [index, file] of answer.files.entries()) {
      if (index > 0) this.count();
      verifyIntegrity(file, integrity);
    }
    return answer.files;
  }

  private count(): void {
    this.files++;
    if (this.files > this.limits.files) {
      throw new ConfigFault(`Maximum of ${this.limits.files} nested includes are allowed!`);
    }
  }
}

/** Rejects files without a YAML extension: an include must not read other files of a project. */
function requireYamlExtension(request: IncludeRequest): void {
  const location =
    request.type === 'local'
      ? request.path
      : request.type === 'remote'
        ? request.url
        : request.type === 'project'
          ? request.file
          : null;
  if (location === null || /[^\n\r\u2028\u2029]\.(yml|yaml)$/i.test(location)) return;
  throw new ConfigFault(`Included file \`${location}\` does not have YAML extension!`);
}

function verifyIntegrity(file: IncludedFile, integrity: string | null): void {
  if (integrity === null) return;
  const digest = createHash('sha256').update(file.text).digest('base64');
  if (integrity !== `sha256-${digest}`) {
    throw new ConfigFault(`Remote file \`${file.location}\` does not match its integrity hash!`, null, file.location);
  }
}

function lintInclude(request: IncludeRequest, file: IncludedFile, from: ConfigOrigin): LintInclude {
  return {
    type: request.type === 'project' ? 'file' : request.type,
    location: request.type === 'project' ? request.file : file.location,
    blob: file.blob ?? null,
    raw: file.raw ?? null,
    extra: request.type === 'project' ? { project: request.project, ref: request.ref ?? 'HEAD' } : {},
    contextProject: from.project,
    contextSha: from.sha,
  };
}

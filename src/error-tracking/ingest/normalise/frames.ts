import type { Frame } from '../../events/public.ts';
import { cleanLine, cleanObject } from './clean.ts';
import { count, isObject, type RawObject, text, textOrNull } from './read.ts';

const oldestKept = 50;
const newestKept = 200;
const contextKept = 50;
const contextLines = 5;
const maxLineLength = 512;

/** Third-party code, in package manager folders or part of the language runtime. */
const thirdPartyPath =
  /(?:^|[\\/])(?:node_modules|site-packages|dist-packages|vendor|\.cargo|gems|jspm_packages|bower_components)[\\/]|^(?:node:|internal\/|<frozen |\/rustc\/|\/usr\/(?:local\/)?lib\/)|[\\/]go[\\/]pkg[\\/]mod[\\/]/;
const thirdPartyModule = /^(?:java\.|javax\.|jdk\.|sun\.|com\.sun\.|kotlin\.|std::|core::|alloc::)/;

/** Reads the frames of a stack, oldest call first. For very deep stacks both ends are kept. */
export function readFrames(stacktrace: unknown): Frame[] {
  const raw = isObject(stacktrace) && Array.isArray(stacktrace.frames) ? stacktrace.frames.filter(isObject) : [];
  const selected =
    raw.length > oldestKept + newestKept ? [...raw.slice(0, oldestKept), ...raw.slice(-newestKept)] : raw;
  // The other frames lose their source context, which makes up most of the size.
  const withContext = (index: number) => index < contextKept / 2 || index >= selected.length - contextKept;
  return selected.map((frame, index) => readFrame(frame, withContext(index)));
}

function readFrame(raw: RawObject, withContext: boolean): Frame {
  const lines = (value: unknown) => (withContext && Array.isArray(value) ? value : []);
  const frame = {
    filename: textOrNull(raw.filename, 1024),
    abs_path: textOrNull(raw.abs_path, 1024),
    module: textOrNull(raw.module, 255),
    function: text(raw.function, 255) ?? textOrNull(raw.raw_function, 255),
    package: textOrNull(raw.package, 255),
    lineno: count(raw.lineno),
    colno: count(raw.colno),
    context_line: withContext ? line(raw.context_line) : null,
    pre_context: lines(raw.pre_context).slice(-contextLines).map(line),
    post_context: lines(raw.post_context).slice(0, contextLines).map(line),
    vars: withContext ? cleanObject(raw.vars) : null,
  };
  return { ...frame, in_app: typeof raw.in_app === 'boolean' ? raw.in_app : isOwn(frame) };
}

function isOwn({ filename, abs_path, module }: Pick<Frame, 'filename' | 'abs_path' | 'module'>): boolean {
  const path = abs_path ?? filename;
  return !(path !== null && thirdPartyPath.test(path)) && !(module !== null && thirdPartyModule.test(module));
}

function line(value: unknown): string | null {
  return typeof value === 'string' ? cleanLine(value, maxLineLength) : null;
}

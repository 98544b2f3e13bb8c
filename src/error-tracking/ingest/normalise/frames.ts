import type { Frame } from '../../events/public.ts';
import { cleanObject, cleanText } from './clean.ts';
import { count, type Given, isObject, text, textOrNull } from './read.ts';

const oldestKept = 50;
const newestKept = 200;
const contextKept = 50;
const contextLines = 5;
const longestLine = 512;

/** Code that people did not write: their package managers put it there, or it is part of the language. */
const foreignPath =
  /(?:^|[\\/])(?:node_modules|site-packages|dist-packages|vendor|\.cargo|gems|jspm_packages|bower_components)[\\/]|^(?:node:|internal\/|<frozen |\/rustc\/|\/usr\/(?:local\/)?lib\/)|[\\/]go[\\/]pkg[\\/]mod[\\/]/;
const foreignModule = /^(?:java\.|javax\.|jdk\.|sun\.|com\.sun\.|kotlin\.|std::|core::|alloc::)/;

/** The calls of a stack, the oldest first. Of a very deep one both ends are kept. */
export function readFrames(stacktrace: unknown): Frame[] {
  const given = isObject(stacktrace) && Array.isArray(stacktrace.frames) ? stacktrace.frames.filter(isObject) : [];
  const kept =
    given.length > oldestKept + newestKept ? [...given.slice(0, oldestKept), ...given.slice(-newestKept)] : given;
  // Of the others the code around them is left out: it is what makes a stack large.
  const whole = (index: number) => index < contextKept / 2 || index >= kept.length - contextKept;
  return kept.map((frame, index) => readFrame(frame, whole(index)));
}

function readFrame(given: Given, whole: boolean): Frame {
  const lines = (value: unknown) => (whole && Array.isArray(value) ? value : []);
  const frame = {
    filename: textOrNull(given.filename, 1024),
    abs_path: textOrNull(given.abs_path, 1024),
    module: textOrNull(given.module, 255),
    function: text(given.function, 255) ?? textOrNull(given.raw_function, 255),
    package: textOrNull(given.package, 255),
    lineno: count(given.lineno),
    colno: count(given.colno),
    context_line: whole ? line(given.context_line) : null,
    pre_context: lines(given.pre_context).slice(-contextLines).map(line),
    post_context: lines(given.post_context).slice(0, contextLines).map(line),
    vars: whole ? cleanObject(given.vars) : null,
  };
  return { ...frame, in_app: typeof given.in_app === 'boolean' ? given.in_app : isOwn(frame) };
}

function isOwn({ filename, abs_path, module }: Pick<Frame, 'filename' | 'abs_path' | 'module'>): boolean {
  const path = abs_path ?? filename;
  return !(path !== null && foreignPath.test(path)) && !(module !== null && foreignModule.test(module));
}

function line(value: unknown): string | null {
  return typeof value === 'string' ? cleanText(value, longestLine) : null;
}

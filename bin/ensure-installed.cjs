// Installs missing dependencies before `npm start`, `npm test` and similar commands; does nothing if none are missing.
// It runs on any Node on the machine, before the right one is installed: plain CommonJS, no dependencies.
'use strict';

const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, readFileSync, symlinkSync, writeFileSync } = require('node:fs');
const { delimiter, join } = require('node:path');

const root = join(__dirname, '..');
const modules = join(root, 'node_modules');
const runtime = join(modules, '.bin', 'node');
const stampFile = join(modules, '.hearth-installed');

function main() {
  const wantsTools = process.argv.includes('--tools');
  const stamp = `${process.platform}-${process.arch} ${digest(join(root, 'package-lock.json'))}`;
  const known = read(stampFile).split('\n');
  if (known[0] === stamp && (!wantsTools || known[1] === 'tools') && existsSync(runtime)) return;

  const before = packagesOf(join(modules, '.package-lock.json'));
  // If the development tools are installed, keep them, even when only the server is needed.
  const tools = wantsTools || Object.values(before).some((entry) => entry.dev);
  if (!matches(before, tools) || !runtimeWorks()) install(tools);
  writeFileSync(stampFile, `${stamp}\n${tools ? 'tools' : 'server'}\n`);
}

function install(tools) {
  const command = existsSync(join(root, 'package-lock.json')) ? 'ci' : 'install';
  const scope = tools ? '--include=dev' : '--omit=dev';
  process.stderr.write(`hearth: installing dependencies (npm ${command} ${scope}); this happens once\n`);
  const npm = run('npm', [command, scope, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'], root);
  if (npm.error) fail(`npm could not be started: ${npm.error.message}`);
  if (npm.status !== 0) fail(`npm ${command} failed; its messages are above`);
  if (!runtimeWorks()) installRuntime();
}

// The package `node` downloads its binary in an install script, which some npm configurations skip.
function installRuntime() {
  process.stderr.write('hearth: install scripts were skipped; fetching Node for Hearth\n');
  run(process.execPath, ['installArchSpecificPackage.js'], join(modules, 'node'));
  if (!existsSync(runtime)) symlinkSync('../node/bin/node', runtime);
  if (!runtimeWorks()) fail('no working Node in node_modules; try: npm rebuild node --foreground-scripts');
}

function runtimeWorks() {
  const { status, stdout } = spawnSync(runtime, ['--version'], { encoding: 'utf8' });
  return status === 0 && Number.parseInt(stdout.slice(1), 10) >= 24;
}

function matches(installed, tools) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  return Object.entries(wanted).every(([path, { version, optional, dev }]) => {
    if (path === '' || optional || (dev && !tools)) return true;
    return installed[path] !== undefined && installed[path].version === version;
  });
}

function packagesOf(lockfile) {
  const text = read(lockfile);
  return text === '' ? {} : JSON.parse(text).packages;
}

function run(command, args, cwd) {
  // With our own node_modules/.bin in the path, npm would run on the very Node that it is about to replace.
  const path = (process.env.PATH || '').split(delimiter).filter((entry) => !entry.startsWith(modules));
  const env = { ...process.env, PATH: path.join(delimiter) };
  return spawnSync(command, args, { cwd, env, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
}

function digest(file) {
  return createHash('sha256').update(read(file)).digest('hex');
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function fail(message) {
  process.stderr.write(`hearth: ${message}\n`);
  process.exit(1);
}

main();

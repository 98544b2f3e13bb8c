/** The CI configuration of a language or framework. */
interface Recipe {
  readonly image: string;
  readonly cache?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  readonly build?: readonly string[];
  readonly test: readonly string[];
}

const recipes: Readonly<Record<string, Recipe>> = {
  Android: {
    image: 'cimg/android:2024.10',
    before: ['chmod +x ./gradlew'],
    build: ['./gradlew assembleDebug'],
    test: ['./gradlew lintDebug testDebugUnitTest'],
  },
  Bash: { image: 'alpine:latest', before: ['apk add --no-cache bash shellcheck'], test: ['shellcheck *.sh'] },
  'C++': {
    image: 'gcc:latest',
    before: ['apt-get update', 'apt-get install --yes cmake'],
    build: ['cmake -B build', 'cmake --build build'],
    test: ['cmake -B build', 'cmake --build build', 'ctest --test-dir build --output-on-failure'],
  },
  Clojure: { image: 'clojure:lein', cache: ['.m2'], before: ['lein deps'], test: ['lein test'] },
  Crystal: { image: 'crystallang/crystal:latest', cache: ['lib'], before: ['shards install'], test: ['crystal spec'] },
  Dart: { image: 'dart:stable', cache: ['.pub-cache'], before: ['dart pub get'], test: ['dart analyze', 'dart test'] },
  Deno: { image: 'denoland/deno:latest', test: ['deno fmt --check', 'deno lint', 'deno test'] },
  Django: {
    image: 'python:3',
    cache: ['.cache/pip'],
    variables: { PIP_CACHE_DIR: '$CI_PROJECT_DIR/.cache/pip' },
    before: ['pip install -r requirements.txt'],
    test: ['python manage.py test'],
  },
  Elixir: {
    image: 'elixir:latest',
    cache: ['deps', '_build'],
    before: ['mix local.hex --force', 'mix local.rebar --force', 'mix deps.get'],
    test: ['mix test'],
  },
  Flutter: {
    image: 'ghcr.io/cirruslabs/flutter:stable',
    before: ['flutter pub get'],
    test: ['flutter analyze', 'flutter test'],
  },
  Go: {
    image: 'golang:latest',
    cache: ['.go'],
    variables: { GOPATH: '$CI_PROJECT_DIR/.go' },
    build: ['go build ./...'],
    test: ['go vet ./...', 'go test -race ./...'],
  },
  Gradle: {
    image: 'gradle:jdk21',
    cache: ['.gradle'],
    variables: { GRADLE_USER_HOME: '$CI_PROJECT_DIR/.gradle' },
    build: ['gradle --build-cache assemble'],
    test: ['gradle check'],
  },
  Haskell: {
    image: 'haskell:9',
    cache: ['.stack'],
    before: ['cabal update'],
    build: ['cabal build all'],
    test: ['cabal test all'],
  },
  Julia: { image: 'julia:1', test: ['julia --project -e "using Pkg; Pkg.test(coverage = true)"'] },
  Laravel: {
    image: 'php:8.3',
    cache: ['vendor'],
    before: [
      'apt-get update',
      'apt-get install --yes unzip git',
      'curl -sS https://getcomposer.org/installer | php',
      'php composer.phar install',
      'cp .env.example .env',
      'php artisan key:generate',
    ],
    test: ['php artisan test'],
  },
  LaTeX: { image: 'texlive/texlive:latest', build: ['latexmk -pdf'], test: ['latexmk -pdf -interaction=nonstopmode'] },
  Maven: {
    image: 'maven:3-eclipse-temurin-21',
    cache: ['.m2/repository'],
    variables: { MAVEN_OPTS: '-Dmaven.repo.local=.m2/repository' },
    build: ['mvn --batch-mode compile'],
    test: ['mvn --batch-mode verify'],
  },
  NET: { image: 'mcr.microsoft.com/dotnet/sdk:8.0', build: ['dotnet build'], test: ['dotnet test'] },
  Nodejs: {
    image: 'node:lts',
    cache: ['.npm'],
    before: ['npm ci --cache .npm --prefer-offline'],
    build: ['npm run build --if-present'],
    test: ['npm test'],
  },
  PHP: {
    image: 'php:8.3',
    cache: ['vendor'],
    before: [
      'apt-get update',
      'apt-get install --yes unzip git',
      'curl -sS https://getcomposer.org/installer | php',
      'php composer.phar install',
    ],
    test: ['vendor/bin/phpunit'],
  },
  Python: {
    image: 'python:3',
    cache: ['.cache/pip'],
    variables: { PIP_CACHE_DIR: '$CI_PROJECT_DIR/.cache/pip' },
    before: ['pip install pytest', 'pip install .'],
    test: ['pytest'],
  },
  R: {
    image: 'r-base:latest',
    before: ['R -e "install.packages(c(\'devtools\'))"'],
    test: ['R CMD build .', 'R CMD check *.tar.gz'],
  },
  Ruby: {
    image: 'ruby:3',
    cache: ['vendor/ruby'],
    before: ['bundle config set --local path vendor', 'bundle install'],
    test: ['bundle exec rake'],
  },
  Rust: {
    image: 'rust:latest',
    cache: ['target', '.cargo'],
    variables: { CARGO_HOME: '$CI_PROJECT_DIR/.cargo' },
    build: ['cargo build --locked'],
    test: ['cargo test --locked'],
  },
  Scala: {
    image: 'sbtscala/scala-sbt:eclipse-temurin-21.0.5_11_1.10.7_3.6.2',
    cache: ['.ivy2'],
    test: ['sbt clean test'],
  },
  Swift: { image: 'swift:latest', build: ['swift build'], test: ['swift test'] },
  Terraform: {
    image: 'hashicorp/terraform:latest',
    cache: ['.terraform'],
    before: ['terraform init -backend=false'],
    test: ['terraform fmt -check -recursive', 'terraform validate'],
  },
  Zig: { image: 'alpine:edge', before: ['apk add --no-cache zig'], build: ['zig build'], test: ['zig build test'] },
};

/** Names of the CI templates. */
export const ciTemplateNames: readonly string[] = Object.keys(recipes).sort();

const quoted = (text: string) => (/[:#"'{}[\],&*?|<>=!%@`]|^[-\s]|\s$/.test(text) ? JSON.stringify(text) : text);
const list = (items: readonly string[], indent: string) => items.map((item) => `${indent}- ${quoted(item)}`);

/** Returns a CI template as YAML; undefined if there is none of that name. */
export function ciTemplate(name: string): string | undefined {
  const recipe = Object.hasOwn(recipes, name) ? recipes[name] : undefined;
  if (!recipe) return undefined;
  const { image, cache, variables, before, build, test } = recipe;
  const parts = [
    [`# Builds and tests a project with ${name}. Adapt it to your needs.`],
    ['default:', `  image: ${quoted(image)}`],
    cache ? ['  cache:', '    key: $CI_COMMIT_REF_SLUG', '    paths:', ...list(cache, '      ')] : [],
    before ? ['  before_script:', ...list(before, '    ')] : [],
    variables
      ? ['', 'variables:', ...Object.entries(variables).map(([key, value]) => `  ${key}: ${quoted(value)}`)]
      : [],
    ['', 'stages:', ...(build ? ['  - build'] : []), '  - test'],
    build ? ['', 'build:', '  stage: build', '  script:', ...list(build, '    ')] : [],
    ['', 'test:', '  stage: test', '  script:', ...list(test, '    ')],
  ];
  return `${parts.flat().join('\n')}\n`;
}

/** A Dockerfile: base image, build steps and start command. */
interface Recipe {
  readonly from: string;
  readonly steps: readonly string[];
  readonly start: readonly string[];
}

const recipes: Readonly<Record<string, Recipe>> = {
  Binary: { from: 'debian:stable-slim', steps: ['COPY ./program /usr/local/bin/program'], start: ['program'] },
  'Binary-alpine': { from: 'alpine:latest', steps: ['COPY ./program /usr/local/bin/program'], start: ['program'] },
  'Binary-scratch': { from: 'scratch', steps: ['COPY ./program /program'], start: ['/program'] },
  Golang: {
    from: 'golang:latest',
    steps: [
      'WORKDIR /usr/src/app',
      'COPY go.mod go.sum ./',
      'RUN go mod download',
      'COPY . .',
      'RUN go build -o /usr/local/bin/app .',
    ],
    start: ['app'],
  },
  HTTPd: { from: 'httpd:alpine', steps: ['COPY ./ /usr/local/apache2/htdocs/'], start: ['httpd-foreground'] },
  Node: {
    from: 'node:lts',
    steps: [
      'WORKDIR /usr/src/app',
      'ENV NODE_ENV=production',
      'COPY package*.json ./',
      'RUN npm ci --omit=dev',
      'COPY . .',
      'EXPOSE 8080',
      'USER node',
    ],
    start: ['npm', 'start'],
  },
  'Node-alpine': {
    from: 'node:lts-alpine',
    steps: [
      'WORKDIR /usr/src/app',
      'ENV NODE_ENV=production',
      'COPY package*.json ./',
      'RUN npm ci --omit=dev',
      'COPY . .',
      'EXPOSE 8080',
      'USER node',
    ],
    start: ['npm', 'start'],
  },
  OpenJDK: {
    from: 'eclipse-temurin:21',
    steps: ['WORKDIR /usr/src/app', 'COPY . .', 'RUN javac Main.java'],
    start: ['java', 'Main'],
  },
  PHP: { from: 'php:8-apache', steps: ['COPY . /var/www/html/'], start: ['apache2-foreground'] },
  Python: {
    from: 'python:3',
    steps: [
      'WORKDIR /usr/src/app',
      'COPY requirements.txt ./',
      'RUN pip install --no-cache-dir -r requirements.txt',
      'COPY . .',
    ],
    start: ['python', 'app.py'],
  },
  'Python-alpine': {
    from: 'python:3-alpine',
    steps: [
      'WORKDIR /usr/src/app',
      'COPY requirements.txt ./',
      'RUN pip install --no-cache-dir -r requirements.txt',
      'COPY . .',
    ],
    start: ['python', 'app.py'],
  },
  Ruby: {
    from: 'ruby:3',
    steps: ['WORKDIR /usr/src/app', 'COPY Gemfile Gemfile.lock ./', 'RUN bundle install', 'COPY . .'],
    start: ['./app.rb'],
  },
  'Ruby-alpine': {
    from: 'ruby:3-alpine',
    steps: ['WORKDIR /usr/src/app', 'COPY Gemfile Gemfile.lock ./', 'RUN bundle install', 'COPY . .'],
    start: ['./app.rb'],
  },
  Rust: {
    from: 'rust:latest',
    steps: ['WORKDIR /usr/src/app', 'COPY . .', 'RUN cargo install --locked --path .'],
    start: ['app'],
  },
  Swift: {
    from: 'swift:latest',
    steps: ['WORKDIR /usr/src/app', 'COPY . .', 'RUN swift build -c release'],
    start: ['.build/release/App'],
  },
};

export const dockerfileNames: readonly string[] = Object.keys(recipes).sort();

/** Returns a Dockerfile template; undefined if there is none of that name. */
export function dockerfile(name: string): string | undefined {
  const recipe = Object.hasOwn(recipes, name) ? recipes[name] : undefined;
  if (!recipe) return undefined;
  const { from, steps, start } = recipe;
  const words = start.map((word) => JSON.stringify(word)).join(', ');
  return `FROM ${from}\n\n${steps.join('\n')}\n\nCMD [${words}]\n`;
}

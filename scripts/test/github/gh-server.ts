import { execFileSync } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Call, Contract } from "./api-server/contract.ts";

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: unknown;
}
interface Release {
  id: number;
  tag: string;
  name: string;
  notes: string;
  isDraft: boolean;
  assets: Map<string, Buffer>;
}

const REPOSITORY = "octo/perf-gate";
const HOST = "github.localhost";
const MISSING: Answer = { status: 404, body: { message: "Not Found", documentation_url: "", status: "404" } };
const contract = new Contract();

/**
 * GitHub's API in front of a bare git repository, for what `gh` asks when a release is published or a bundle committed.
 * Releases are immutable, as with "Enable release immutability": once published, a release takes no file and its tag
 * does not move.
 */
export class GhServer {
  readonly releases: Release[] = [];
  /** Workflows that were started: file and ref. */
  readonly started: string[] = [];
  /** Requests and answers that are not as GitHub describes them. */
  readonly violations: string[] = [];
  readonly #repository: string;
  /** Files of the workflows that were asked for; an id is a place in it, from 1 on. */
  readonly #workflows: string[] = [];
  readonly #server = createServer((request, response) => {
    void this.#serve(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
      response.end(body === null ? undefined : JSON.stringify(body));
    });
  });

  /** @param repository directory of the bare repository */
  constructor(repository: string) {
    this.#repository = repository;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** What makes gh ask this server: it takes plain HTTP to this host alone, and asks the proxy for it. */
  env(directory: string): Record<string, string> {
    return {
      GH_HOST: HOST,
      GH_TOKEN: "test-token",
      GH_ENTERPRISE_TOKEN: "test-token",
      GH_CONFIG_DIR: directory,
      GH_NO_UPDATE_NOTIFIER: "1",
      GH_PROMPT_DISABLED: "1",
      HTTP_PROXY: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      NO_PROXY: "",
      no_proxy: "",
    };
  }

  git(...args: string[]): string {
    return this.#gitWith({}, "", ...args);
  }

  #gitWith(env: Record<string, string>, input: string | Buffer, ...args: string[]): string {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
    return execFileSync("git", ["-C", this.#repository, ...identity, ...args], {
      encoding: "utf8",
      env: { ...process.env, ...env },
      input,
      stdio: ["pipe", "pipe", "pipe"],
    }).trim();
  }

  #commitOf(ref: string): string | null {
    try {
      return this.git("rev-parse", "--verify", "--quiet", `${ref}^{commit}`);
    } catch {
      return null;
    }
  }

  async #serve(request: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    const url = new URL(request.url ?? "/", `http://api.${HOST}`);
    try {
      if (request.headers.authorization !== "token test-token") throw new Error("no token");
      if (url.pathname === "/graphql") return { status: 200, body: this.#graphql(JSON.parse(content.toString())) };
      const isFile = url.hostname === `uploads.${HOST}`;
      const body: unknown = isFile || content.length === 0 ? null : JSON.parse(content.toString());
      const known = contract.call(request.method ?? "", url, body);
      if (known === null) throw new Error("GitHub has no such call");
      this.violations.push(...known.problems);
      const answer = this.#answer(known.call, content);
      this.violations.push(...contract.answerProblems(known.call.operation, answer.status, answer.body));
      return answer;
    } catch (error) {
      const message = `${request.method} ${url.pathname}: ${(error as Error).message}`;
      this.violations.push(message);
      return { status: 500, body: { message } };
    }
  }

  /** The calls that are no REST, by what they ask for. */
  #graphql({ query, variables }: { query: string; variables: Json }): Json {
    if (query.includes("createCommitOnBranch(")) return { data: { createCommitOnBranch: this.#commit(variables) } };
    const tag = String(variables["tagName"] ?? "").replace(/^refs\/tags\//, "");
    if (query.includes("ref(qualifiedName")) {
      const ref = this.#commitOf(`refs/tags/${tag}`) === null ? null : { id: "1" };
      return { data: { repository: { ref } } };
    }
    if (query.includes("release(tagName")) {
      const release = this.releases.find((candidate) => candidate.tag === tag);
      return {
        data: { repository: { release: release && { databaseId: release.id, isDraft: release.isDraft } } },
      };
    }
    throw new Error(`unknown query ${query}`);
  }

  #commit(variables: Json): Json {
    const { branch, message, expectedHeadOid, fileChanges } = variables["input"] as {
      branch: { repositoryNameWithOwner: string; branchName: string };
      message: { headline: string };
      expectedHeadOid: string;
      fileChanges: { additions: { path: string; contents: string }[]; deletions: { path: string }[] };
    };
    const ref = `refs/heads/${branch.branchName}`;
    if (branch.repositoryNameWithOwner !== REPOSITORY || this.#commitOf(ref) !== expectedHeadOid) {
      throw new Error("not the head of the branch");
    }
    const index = { GIT_INDEX_FILE: `${this.#repository}/index.commit`, GIT_WORK_TREE: this.#repository };
    this.#gitWith(index, "", "read-tree", ref);
    for (const { path } of fileChanges.deletions) this.#gitWith(index, "", "update-index", "--force-remove", path);
    for (const { path, contents } of fileChanges.additions) {
      const blob = this.#gitWith({}, Buffer.from(contents, "base64"), "hash-object", "-w", "--stdin");
      this.#gitWith(index, "", "update-index", "--add", "--cacheinfo", `100644,${blob},${path}`);
    }
    const tree = this.#gitWith(index, "", "write-tree");
    const oid = this.git("commit-tree", tree, "-p", ref, "-m", message.headline);
    this.git("update-ref", ref, oid, expectedHeadOid);
    return { commit: { oid } };
  }

  #answer({ operation, path, query, body }: Call, content: Buffer): Answer {
    const given = body as Json;
    const byId = this.releases.find(({ id }) => id === Number(path["release_id"]));
    switch (operation) {
      case "git/get-ref":
        return this.#ref(`refs/${path["ref"]}`, 200);
      case "git/create-ref":
        this.git("update-ref", String(given["ref"]), String(given["sha"]), "0".repeat(40));
        return this.#ref(String(given["ref"]), 201);
      case "git/update-ref": {
        const ref = `refs/${path["ref"]}`;
        if (
          given["force"] !== true ||
          this.releases.some(({ tag, isDraft }) => !isDraft && ref === `refs/tags/${tag}`)
        ) {
          return { status: 422, body: { message: "Cannot update this protected ref.", status: "422" } };
        }
        this.git("update-ref", ref, String(given["sha"]));
        return this.#ref(ref, 200);
      }
      case "repos/create-release": {
        const release: Release = {
          id: this.releases.length + 1,
          tag: String(given["tag_name"]),
          name: String(given["name"]),
          notes: String(given["body"]),
          isDraft: given["draft"] === true,
          assets: new Map(),
        };
        this.releases.push(release);
        return { status: 201, body: this.#json(release) };
      }
      case "repos/upload-release-asset": {
        if (byId === undefined) return MISSING;
        if (!byId.isDraft)
          return { status: 422, body: { message: "Cannot upload to an immutable release", status: "422" } };
        byId.assets.set(query["name"] ?? "", content);
        const example = contract.example<Json>("repos/upload-release-asset", 201);
        return { status: 201, body: { ...example, name: query["name"], size: content.length } };
      }
      case "repos/get-release-by-tag": {
        const release = this.releases.find(({ tag, isDraft }) => !isDraft && tag === path["tag"]);
        return release === undefined ? MISSING : { status: 200, body: this.#json(release) };
      }
      case "repos/get-release":
        return byId === undefined ? MISSING : { status: 200, body: this.#json(byId) };
      case "repos/update-release":
        if (byId === undefined) return MISSING;
        if (given["draft"] === false) byId.isDraft = false;
        return { status: 200, body: this.#json(byId) };
      case "actions/get-workflow": {
        const id = this.#workflows.push(path["workflow_id"] ?? "");
        return { status: 200, body: { ...contract.example<Json>("actions/get-workflow", 200), id } };
      }
      case "actions/create-workflow-dispatch":
        this.started.push(`${this.#workflows[Number(path["workflow_id"]) - 1]} ${given["ref"]}`);
        return { status: 204, body: null };
      default:
        throw new Error(`${operation} is not served here`);
    }
  }

  #ref(ref: string, status: number): Answer {
    const sha = this.#commitOf(ref);
    if (sha === null) return MISSING;
    const example = contract.example<Json>("git/get-ref", 200);
    return { status, body: { ...example, ref, object: { ...(example["object"] as Json), type: "commit", sha } } };
  }

  #json({ id, tag, name, notes, isDraft }: Release): Json {
    const example = contract.example<Json>("repos/get-release", 200);
    const upload = `http://uploads.${HOST}/repos/${REPOSITORY}/releases/${id}/assets{?name,label}`;
    const url = `http://api.${HOST}/repos/${REPOSITORY}/releases/${id}`;
    return { ...example, id, url, upload_url: upload, tag_name: tag, name, body: notes, draft: isDraft, assets: [] };
  }
}

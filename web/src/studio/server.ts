/** Talking to the studio's server. Every call carries the token that the opened address had. */

import type { Check, Everything, OpenModel } from "./answers";

type Fields = Readonly<Record<string, string | number | null | readonly number[] | object>>;

/** A refusal, in the server's words. */
export class Refused extends Error {}

export class Server {
  constructor(
    private readonly base: string,
    private readonly token: string,
  ) {}

  everything = (): Promise<Everything> => this.json<Everything>("studio");
  checks = (): Promise<{ readonly checks: readonly Check[] }> => this.json("checks");
  startCheck = (fields: Fields): Promise<Check> => this.json("checks", fields);
  cancelCheck = (check: number): Promise<Check> => this.json(`checks/${check}/cancel`, {});
  openFromFolder = (file: string): Promise<OpenModel> => this.json("open", { file });
  /** Change a model: rewrite, compose, write-fact, remove-fact, story, go, copy. */
  change = (model: number, what: string, fields: Fields): Promise<OpenModel> =>
    this.json(`models/${model}/${what}`, fields);
  close = (model: number): Promise<object> => this.json(`models/${model}/close`, {});

  /** The bytes of a model's file, at one of its steps. */
  async file({ id, version }: { readonly id: number; readonly version: number }): Promise<Uint8Array> {
    const answer = await this.ask(`models/${id}/file?version=${version}`, {});
    return new Uint8Array(await answer.arrayBuffer());
  }

  /** A page in one file. */
  async page(model: number, fields: Fields): Promise<Uint8Array> {
    const answer = await this.post(`models/${model}/page`, fields);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<OpenModel> {
    const answer = await this.ask(`models?name=${encodeURIComponent(name)}`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: bytes,
    });
    return (await answer.json()) as OpenModel;
  }

  private async json<Answer>(path: string, fields: Fields | null = null): Promise<Answer> {
    const answer = await (fields === null ? this.ask(path, {}) : this.post(path, fields));
    return (await answer.json()) as Answer;
  }

  private post(path: string, fields: Fields): Promise<Response> {
    const headers = { "Content-Type": "application/json" };
    return this.ask(path, { method: "POST", headers, body: JSON.stringify(fields) });
  }

  private async ask(path: string, options: RequestInit): Promise<Response> {
    const headers = { ...options.headers, "X-Weightsmith-Token": this.token };
    let answer: Response;
    try {
      answer = await fetch(`${this.base}${path}`, { ...options, headers, cache: "no-store", credentials: "omit" });
    } catch {
      throw new Refused("The studio does not answer: it may have ended. Start it again with weightsmith studio.");
    }
    if (answer.ok) return answer;
    const said: unknown = await answer.json().catch(() => null);
    throw new Refused(hasError(said) ? said.error : `The studio refused it (${answer.status}).`);
  }
}

function hasError(value: unknown): value is { readonly error: string } {
  return typeof value === "object" && value !== null && "error" in value && typeof value.error === "string";
}

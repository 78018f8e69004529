import {
  ApiException,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  ListWatch,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from "@kubernetes/client-node";
import type { JsonObject } from "antechamber";

/** The API group of the home, and the version that this controller works with: the newest, the hub. */
const group = "home.antechamber.dev";
const version = "v1";
export const apiVersion = `${group}/${version}`;

export type Plural = "rooms" | "lights" | "locks";

/** Metadata of the objects that this example reads; the API server sets all but the owner references. */
export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly resourceVersion: string;
  readonly managedFields?: readonly JsonObject[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** The content of a kind: `spec` and `status` of its generated type. */
export type Stored<Kind extends { readonly spec?: unknown; readonly status?: unknown }> = Pick<
  Kind,
  "spec" | "status"
> & { readonly metadata: Metadata };

/** What server-side apply sends: the fields that its manager wants, and no others. */
export interface Applied {
  readonly kind: "Room" | "Light" | "Lock";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly ownerReferences?: readonly OwnerReference[];
    /** Only if the object still has it: otherwise the API server answers 409. */
    readonly resourceVersion?: string;
  };
  readonly spec?: object;
  readonly status?: object;
}

/** The objects of a kind as the last events of a watch left them. */
export interface Cache<Kind> {
  readonly get: (name: string, namespace: string) => Kind | undefined;
  readonly list: (namespace: string) => readonly Kind[];
  /** Calls back with each object that there is, and from then on with each that is added, changed or removed. */
  readonly subscribe: (onChange: (object: Kind) => void) => void;
}

export interface WatchOptions {
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

const restart = 250;

/** An API server that has the kinds of the home. */
export class Cluster {
  readonly #config: KubeConfig;
  readonly #objects: CustomObjectsApi;

  constructor(config: KubeConfig) {
    this.#config = config;
    this.#objects = config.makeApiClient(CustomObjectsApi);
  }

  /** Follows all objects of a kind; the promise resolves when the first list is complete. */
  async watch<Kind>(plural: Plural, { onError, signal }: WatchOptions): Promise<Cache<Kind>> {
    const list = (): Promise<KubernetesListObject<KubernetesObject>> =>
      this.#objects.listClusterCustomObject({ group, version, plural });
    const path = `/apis/${group}/${version}/${plural}`;
    const watch = new ListWatch<KubernetesObject>(path, new Watch(this.#config), list, false);
    const ofKind = (object: KubernetesObject) => object as unknown as Kind;
    const listed = new Promise<void>((resolve) => {
      // Every attempt ends with an error or with objects; a list without objects ends `start`.
      watch.on("change", () => resolve());
      const start = () => watch.start().then(() => resolve(), fail);
      const fail = (error: unknown) => {
        if (signal.aborted) return;
        onError(error);
        setTimeout(start, restart).unref();
      };
      watch.on("error", fail);
      void start();
    });
    signal.addEventListener("abort", () => void watch.stop());
    await listed;
    return {
      get: (name, namespace) => {
        const object = watch.get(name, namespace);
        return object && ofKind(object);
      },
      list: (namespace) => watch.list(namespace).map(ofKind),
      subscribe: (onChange) => {
        for (const object of watch.list()) onChange(ofKind(object));
        watch.on("change", (object) => onChange(ofKind(object)));
      },
    };
  }

  /**
   * Server-side apply, which takes the fields from other managers. The API server keeps every field that is not in
   * `applied`, and removes those that this manager applied before and now leaves out. Throws ApiException.
   */
  apply(plural: Plural, applied: Applied, fieldManager: string, dryRun = false): Promise<object> {
    const { name, namespace } = applied.metadata;
    const request = { group, version, plural, name, namespace, fieldManager, force: true };
    const body = { apiVersion, ...applied };
    return this.#objects.patchNamespacedCustomObject(
      { ...request, body, ...(dryRun && { dryRun: "All" }) },
      asApply,
    );
  }

  /** The same for the status. */
  async applyStatus(plural: Plural, applied: Applied, fieldManager: string): Promise<void> {
    const { name, namespace } = applied.metadata;
    const request = { group, version, plural, name, namespace, fieldManager, force: true };
    await this.#objects.patchNamespacedCustomObjectStatus(
      { ...request, body: { apiVersion, ...applied } },
      asApply,
    );
  }

  /** Reads an object; undefined if there is none. Throws ApiException. */
  async read<Kind>(plural: Plural, namespace: string, name: string): Promise<Kind | undefined> {
    try {
      return await this.#objects.getNamespacedCustomObject({ group, version, plural, namespace, name });
    } catch (error) {
      if (error instanceof ApiException && error.code === 404) return undefined;
      throw error;
    }
  }
}

const asApply = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);

/** What the API server says of a request that it rejected; undefined for any other error. */
export function rejectionOf(error: unknown): { readonly code: number; readonly message: string } | undefined {
  if (!(error instanceof ApiException)) return undefined;
  const body: unknown = error.body;
  return { code: error.code, message: messageOf(body) ?? error.message };
}

function messageOf(body: unknown): string | undefined {
  try {
    const status: unknown = typeof body === "string" ? JSON.parse(body) : body;
    const message: unknown =
      typeof status === "object" && status !== null ? Reflect.get(status, "message") : undefined;
    return typeof message === "string" ? message : undefined;
  } catch {
    // A proxy in between answers with text of its own.
    return undefined;
  }
}

/** Whether the same request would be rejected again: the object itself is at fault. */
export function isDenied(error: unknown): boolean {
  const code = rejectionOf(error)?.code;
  return code === 400 || code === 403 || code === 422;
}

/** The key of an object in a queue. */
export function keyOf({ metadata }: { readonly metadata: Metadata }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Namespace and name of a key. */
export function splitKey(key: string): readonly [string, string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}

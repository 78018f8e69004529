import {
  ApiException,
  CustomObjectsApi,
  createConfiguration,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  ListWatch,
  PatchStrategy,
  type RequestContext,
  type SecurityAuthentication,
  ServerConfiguration,
  setHeaderOptions,
  Watch,
} from "@kubernetes/client-node";
import type { JsonObject } from "antechamber";
import type { LightV1 } from "../../webhooks/home/light/types.ts";
import type { LockV1 } from "../../webhooks/home/lock/types.ts";
import type { RoomV1 } from "../../webhooks/home/room/types.ts";
import { OwnWrites } from "./own-writes.ts";

/** The API group of the home, and the version that this example works with: the newest, which is stored. */
const group = "home.antechamber.dev";
const version = "v1";
export const apiVersion = `${group}/${version}`;

const plurals = { Room: "rooms", Light: "lights", Lock: "locks" } as const;
export type Kind = keyof typeof plurals;

/** Metadata of the objects that this example reads. */
export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly JsonObject[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

type Stored<Type extends { readonly spec?: unknown; readonly status?: unknown }> = Pick<
  Type,
  "spec" | "status"
> & { readonly metadata: Metadata };

// Of the generated types, which have the comments of the schemas, the spec and status.
export type Room = Stored<RoomV1>;
export type Light = Stored<LightV1>;
export type Lock = Stored<LockV1>;

/** What server-side apply sends: the fields that a manager wants, and no others. Either spec, or status. */
export interface Applied {
  readonly kind: Kind;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly ownerReferences?: readonly OwnerReference[];
    /** The API server answers 409 if the object has another one by now. */
    readonly resourceVersion?: string;
  };
  readonly spec?: object;
  readonly status?: object;
}

/** The objects of a kind as the last events of a watch left them. */
export interface Cache<Type> {
  /** An object, also as this process left it if the watch has not reported that yet. */
  readonly get: (key: string) => Type | undefined;
  /** Those of a namespace, or all. */
  readonly list: (namespace?: string) => readonly Type[];
  /** Calls back with each object that there is, and from then on with each that is added, changed or removed. */
  readonly subscribe: (onChange: (object: Type) => void) => void;
}

export interface WatchOptions {
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

const restartDelay = 250;

/** An API server that has the kinds of the home. */
export class Cluster {
  readonly #config: KubeConfig;
  readonly #objects: CustomObjectsApi;
  readonly #onWritten = new Map<Kind, (object: unknown) => void>();

  constructor(config: KubeConfig) {
    this.#config = config;
    const server = config.getCurrentCluster()?.server;
    if (server === undefined) throw new Error("the kubeconfig has no current context");
    const baseServer = new ServerConfiguration(server, {});
    const authMethods = { default: keepConnections(config) };
    this.#objects = new CustomObjectsApi(createConfiguration({ baseServer, authMethods }));
  }

  /** Follows all objects of a kind; resolves when the first list is complete. */
  async watch<Type extends { readonly metadata: Metadata }>(
    kind: Kind,
    { onError, signal }: WatchOptions,
  ): Promise<Cache<Type>> {
    const plural = plurals[kind];
    const list = (): Promise<KubernetesListObject<KubernetesObject>> =>
      this.#objects.listClusterCustomObject({ group, version, plural });
    const path = `/apis/${group}/${version}/${plural}`;
    const watch = new ListWatch<KubernetesObject>(path, new Watch(this.#config), list, false);
    const ofKind = (object: KubernetesObject) => object as unknown as Type;
    const own = new OwnWrites<Type>();
    const listeners: ((object: Type) => void)[] = [];
    watch.on("change", (object) => own.reported(keyOf(ofKind(object)), ofKind(object)));
    watch.on("connect", () => own.clear());
    await new Promise<void>((resolve) => {
      const start = () => watch.start().then(() => resolve(), restart);
      const restart = (error: unknown) => {
        if (signal.aborted) return;
        onError(error);
        setTimeout(start, restartDelay).unref();
      };
      watch.on("error", restart);
      // `start` resolves when a list without objects is complete, and one with objects calls this back.
      watch.on("change", () => resolve());
      signal.addEventListener("abort", () => void watch.stop());
      void start();
    });
    const notify = (object: Type) => {
      for (const listener of listeners) listener(object);
    };
    watch.on("change", (object) => notify(ofKind(object)));
    this.#onWritten.set(kind, (response) => {
      const object = response as Type;
      if (own.add(keyOf(object), object)) notify(object);
    });
    return {
      get: (key) => {
        const [namespace, name = ""] = key.split("/");
        const object = watch.get(name, namespace);
        return own.get(key) ?? (object && ofKind(object));
      },
      list: (namespace) => watch.list(namespace).map(ofKind),
      subscribe: (onChange) => {
        for (const object of watch.list()) onChange(ofKind(object));
        listeners.push(onChange);
      },
    };
  }

  /**
   * Server-side apply, which takes the fields from other managers. The API server keeps every field that is not in
   * `applied`, and removes those that this manager applied before and now leaves out. Throws ApiException.
   */
  async apply(applied: Applied, fieldManager: string, dryRun = false): Promise<void> {
    const { kind, metadata } = applied;
    const request = {
      ...{ group, version, plural: plurals[kind], name: metadata.name, namespace: metadata.namespace },
      ...{ fieldManager, force: true, ...(dryRun && { dryRun: "All" }) },
      body: { apiVersion, ...applied },
    };
    const written: unknown = await (applied.status === undefined
      ? this.#objects.patchNamespacedCustomObject(request, asApply)
      : this.#objects.patchNamespacedCustomObjectStatus(request, asApply));
    if (!dryRun) this.#onWritten.get(kind)?.(written);
  }

  /** Reads a Room; undefined if it does not exist. Throws ApiException. */
  async readRoom(namespace: string, name: string): Promise<Room | undefined> {
    try {
      const plural = plurals.Room;
      return await this.#objects.getNamespacedCustomObject({ group, version, plural, namespace, name });
    } catch (error) {
      if (error instanceof ApiException && error.code === 404) return undefined;
      throw error;
    }
  }
}

/**
 * The authentication of a kubeconfig, with one pool of connections. By itself it opens a connection for each request: a TLS
 * handshake costs the controller and the API server more than the request. A client certificate that was renewed takes a restart.
 */
function keepConnections(config: KubeConfig): SecurityAuthentication {
  let pool: ReturnType<RequestContext["getDispatcher"]>;
  return {
    getName: () => config.getName(),
    async applySecurityAuthentication(context) {
      await config.applySecurityAuthentication(context);
      pool ??= context.getDispatcher();
      if (pool !== undefined) context.setDispatcher(pool);
    },
  };
}

const asApply = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);

/** The API server's rejection of a request; undefined for any other error. */
export function rejectionOf(error: unknown): { readonly code: number; readonly message: string } | undefined {
  if (!(error instanceof ApiException)) return undefined;
  const { code, body } = error;
  try {
    const { message } = JSON.parse(String(body));
    return { code, message: typeof message === "string" ? message : error.message };
  } catch {
    // A proxy in between answers with text of its own.
    return { code, message: error.message };
  }
}

/** The key of an object in caches and queues. */
export function keyOf({ metadata }: { readonly metadata: Metadata }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

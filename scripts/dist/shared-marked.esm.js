import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  require_picocolors
} from "./shared-picocolors.js";
import {
  ABSENT,
  MARK,
  MARKDOWN,
  STRIKE_LABEL,
  allowedPhrase,
  bytes,
  cellName,
  cellsOf,
  confirmationPhrase,
  decidingTest,
  decimal,
  direction,
  duration,
  escapeMarkdown,
  furtherReasons,
  headline,
  headlineText,
  isLimit,
  judged,
  list,
  loadLabel,
  margin,
  ms,
  oneLine,
  ownReasons,
  percent,
  percentMeasured,
  plural,
  qps,
  sentence,
  signed,
  signedPercent,
  significant,
  stateOf,
  testOf,
  unit,
  visible,
  worstFirst,
  worstRoom
} from "./shared-headline.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";
import {
  __toESM
} from "./shared-runtime.js";

// scripts/src/phases/report.ts
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

// node_modules/csv-stringify/lib/utils/get.js
var charCodeOfDot = ".".charCodeAt(0);
var reEscapeChar = /\\(\\)?/g;
var rePropName = RegExp(
  // Match anything that isn't a dot or bracket.
  `[^.[\\]]+|\\[(?:([^"'][^[]*)|(["'])((?:(?!\\2)[^\\\\]|\\\\.)*?)\\2)\\]|(?=(?:\\.|\\[\\])(?:\\.|\\[\\]|$))`,
  "g"
);
var reIsDeepProp = /\.|\[(?:[^[\]]*|(["'])(?:(?!\1)[^\\]|\\.)*?\1)\]/;
var reIsPlainProp = /^\w*$/;
var getTag = function(value) {
  return Object.prototype.toString.call(value);
};
var isSymbol = function(value) {
  const type = typeof value;
  return type === "symbol" || type === "object" && value && getTag(value) === "[object Symbol]";
};
var isKey = function(value, object) {
  if (Array.isArray(value)) {
    return false;
  }
  const type = typeof value;
  if (type === "number" || type === "symbol" || type === "boolean" || !value || isSymbol(value)) {
    return true;
  }
  return reIsPlainProp.test(value) || !reIsDeepProp.test(value) || object != null && value in Object(object);
};
var stringToPath = function(string) {
  const result = [];
  if (string.charCodeAt(0) === charCodeOfDot) {
    result.push("");
  }
  string.replace(rePropName, function(match, expression, quote, subString) {
    let key = match;
    if (quote) {
      key = subString.replace(reEscapeChar, "$1");
    } else if (expression) {
      key = expression.trim();
    }
    result.push(key);
  });
  return result;
};
var castPath = function(value, object) {
  if (Array.isArray(value)) {
    return value;
  } else {
    return isKey(value, object) ? [value] : stringToPath(value);
  }
};
var toKey = function(value) {
  if (typeof value === "string" || isSymbol(value)) return value;
  const result = `${value}`;
  return result == "0" && 1 / value == -Infinity ? "-0" : result;
};
var get = function(object, path) {
  path = castPath(path, object);
  let index = 0;
  const length = path.length;
  while (object != null && index < length) {
    object = object[toKey(path[index++])];
  }
  return index && index === length ? object : void 0;
};

// node_modules/csv-stringify/lib/utils/is_object.js
var is_object = function(obj) {
  return typeof obj === "object" && obj !== null && !Array.isArray(obj);
};

// node_modules/csv-stringify/lib/api/normalize_columns.js
var normalize_columns = function(columns2) {
  if (columns2 === void 0 || columns2 === null) {
    return [void 0, void 0];
  }
  if (typeof columns2 !== "object") {
    return [Error('Invalid option "columns": expect an array or an object')];
  }
  if (!Array.isArray(columns2)) {
    const newcolumns = [];
    for (const k in columns2) {
      newcolumns.push({
        key: k,
        header: columns2[k]
      });
    }
    columns2 = newcolumns;
  } else {
    const newcolumns = [];
    for (const column of columns2) {
      if (typeof column === "string") {
        newcolumns.push({
          key: column,
          header: column
        });
      } else if (typeof column === "object" && column !== null && !Array.isArray(column)) {
        if (!column.key) {
          return [
            Error('Invalid column definition: property "key" is required')
          ];
        }
        if (column.header === void 0) {
          column.header = column.key;
        }
        newcolumns.push(column);
      } else {
        return [
          Error("Invalid column definition: expect a string or an object")
        ];
      }
    }
    columns2 = newcolumns;
  }
  return [void 0, columns2];
};

// node_modules/csv-stringify/lib/api/CsvError.js
var CsvError = class _CsvError extends Error {
  constructor(code, message, ...contexts) {
    if (Array.isArray(message)) message = message.join(" ");
    super(message);
    if (Error.captureStackTrace !== void 0) {
      Error.captureStackTrace(this, _CsvError);
    }
    this.code = code;
    for (const context of contexts) {
      for (const key in context) {
        const value = context[key];
        this[key] = Buffer.isBuffer(value) ? value.toString() : value == null ? value : JSON.parse(JSON.stringify(value));
      }
    }
  }
};

// node_modules/csv-stringify/lib/utils/underscore.js
var underscore = function(str) {
  return str.replace(/([A-Z])/g, function(_2, match) {
    return "_" + match.toLowerCase();
  });
};

// node_modules/csv-stringify/lib/api/normalize_options.js
var normalize_options = function(opts) {
  const options = {};
  for (const opt in opts) {
    options[underscore(opt)] = opts[opt];
  }
  if (options.bom === void 0 || options.bom === null || options.bom === false) {
    options.bom = false;
  } else if (options.bom !== true) {
    return [
      new CsvError("CSV_OPTION_BOOLEAN_INVALID_TYPE", [
        "option `bom` is optional and must be a boolean value,",
        `got ${JSON.stringify(options.bom)}`
      ])
    ];
  }
  if (options.delimiter === void 0 || options.delimiter === null) {
    options.delimiter = ",";
  } else if (Buffer.isBuffer(options.delimiter)) {
    options.delimiter = options.delimiter.toString();
  } else if (typeof options.delimiter !== "string") {
    return [
      new CsvError("CSV_OPTION_DELIMITER_INVALID_TYPE", [
        "option `delimiter` must be a buffer or a string,",
        `got ${JSON.stringify(options.delimiter)}`
      ])
    ];
  }
  if (options.quote === void 0 || options.quote === null) {
    options.quote = '"';
  } else if (options.quote === true) {
    options.quote = '"';
  } else if (options.quote === false) {
    options.quote = "";
  } else if (Buffer.isBuffer(options.quote)) {
    options.quote = options.quote.toString();
  } else if (typeof options.quote !== "string") {
    return [
      new CsvError("CSV_OPTION_QUOTE_INVALID_TYPE", [
        "option `quote` must be a boolean, a buffer or a string,",
        `got ${JSON.stringify(options.quote)}`
      ])
    ];
  }
  if (options.quoted === void 0 || options.quoted === null) {
    options.quoted = false;
  } else {
  }
  if (options.escape_formulas === void 0 || options.escape_formulas === null) {
    options.escape_formulas = false;
  } else if (typeof options.escape_formulas !== "boolean") {
    return [
      new CsvError("CSV_OPTION_ESCAPE_FORMULAS_INVALID_TYPE", [
        "option `escape_formulas` must be a boolean,",
        `got ${JSON.stringify(options.escape_formulas)}`
      ])
    ];
  }
  if (options.quoted_empty === void 0 || options.quoted_empty === null) {
    options.quoted_empty = void 0;
  } else {
  }
  if (options.quoted_match === void 0 || options.quoted_match === null || options.quoted_match === false) {
    options.quoted_match = null;
  } else if (!Array.isArray(options.quoted_match)) {
    options.quoted_match = [options.quoted_match];
  }
  if (options.quoted_match) {
    for (const quoted_match of options.quoted_match) {
      const isString = typeof quoted_match === "string";
      const isRegExp = quoted_match instanceof RegExp;
      if (!isString && !isRegExp) {
        return [
          new CsvError("CSV_OPTION_QUOTED_MATCH", [
            "option `quoted_match` must be a string or a regex,",
            `got ${JSON.stringify(options.quoted_match)}`
          ])
        ];
      }
    }
  }
  if (options.quoted_string === void 0 || options.quoted_string === null) {
    options.quoted_string = false;
  } else {
  }
  if (options.eof === void 0 || options.eof === null) {
    options.eof = true;
  } else {
  }
  if (options.escape === void 0 || options.escape === null) {
    options.escape = '"';
  } else if (Buffer.isBuffer(options.escape)) {
    options.escape = options.escape.toString();
  } else if (typeof options.escape !== "string") {
    return [
      Error(
        `Invalid Option: escape must be a buffer or a string, got ${JSON.stringify(options.escape)}`
      )
    ];
  }
  if (options.escape.length > 1) {
    return [
      Error(
        `Invalid Option: escape must be one character, got ${options.escape.length} characters`
      )
    ];
  }
  if (options.header === void 0 || options.header === null || options.header === false) {
    options.header = false;
  } else if (options.header !== true) {
    throw new CsvError(
      "CSV_INVALID_OPTION_HEADER",
      [
        "option `header` is expected to be a boolean,",
        `got ${JSON.stringify(options.header)}`
      ],
      options
    );
  }
  if (options.header_as_comment === void 0 || options.header_as_comment === null || options.header_as_comment === false) {
    options.header_as_comment = false;
  } else if (options.header_as_comment === true) {
    options.header_as_comment = "#";
  } else if (Buffer.isBuffer(options.header_as_comment)) {
    options.header_as_comment = options.header_as_comment.toString();
  } else if (typeof options.header_as_comment !== "string") {
    throw new CsvError(
      "CSV_INVALID_OPTION_HEADER_AS_COMMENT",
      [
        "option `header_as_comment` must be a boolean, a string or a buffer,",
        `got ${JSON.stringify(options.header_as_comment)}`
      ],
      options
    );
  }
  const [errColumns, columns2] = normalize_columns(options.columns);
  if (errColumns !== void 0) return [errColumns];
  options.columns = columns2;
  if (options.quoted === void 0 || options.quoted === null) {
    options.quoted = false;
  } else {
  }
  if (options.cast === void 0 || options.cast === null) {
    options.cast = {};
  } else {
  }
  if (options.cast.bigint === void 0 || options.cast.bigint === null) {
    options.cast.bigint = (value) => "" + value;
  }
  if (options.cast.boolean === void 0 || options.cast.boolean === null) {
    options.cast.boolean = (value) => value ? "1" : "";
  }
  if (options.cast.date === void 0 || options.cast.date === null) {
    options.cast.date = (value) => "" + value.getTime();
  }
  if (options.cast.number === void 0 || options.cast.number === null) {
    options.cast.number = (value) => "" + value;
  }
  if (options.cast.object === void 0 || options.cast.object === null) {
    options.cast.object = (value) => JSON.stringify(value);
  }
  if (options.cast.string === void 0 || options.cast.string === null) {
    options.cast.string = function(value) {
      return value;
    };
  }
  if (options.on_record !== void 0 && typeof options.on_record !== "function") {
    return [Error(`Invalid Option: "on_record" must be a function.`)];
  }
  if (options.quote_record_delimiter === void 0 || options.quote_record_delimiter === null) {
    options.quote_record_delimiter = !options.record_delimiter;
  } else if (typeof options.quote_record_delimiter !== "boolean") {
    return [
      new CsvError("CSV_OPTION_QUOTE_RECORD_DELIMITER_INVALID_TYPE", [
        "option `quote_record_delimiter` must be a boolean,",
        `got ${JSON.stringify(options.quote_record_delimiter)}`
      ])
    ];
  }
  if (options.record_delimiter === void 0 || options.record_delimiter === null) {
    options.record_delimiter = "\n";
  } else if (Buffer.isBuffer(options.record_delimiter)) {
    options.record_delimiter = options.record_delimiter.toString();
  } else if (typeof options.record_delimiter !== "string") {
    return [
      Error(
        `Invalid Option: record_delimiter must be a buffer or a string, got ${JSON.stringify(options.record_delimiter)}`
      )
    ];
  }
  switch (options.record_delimiter) {
    case "unix":
      options.record_delimiter = "\n";
      break;
    case "mac":
      options.record_delimiter = "\r";
      break;
    case "windows":
      options.record_delimiter = "\r\n";
      break;
    case "ascii":
      options.record_delimiter = "";
      break;
    case "unicode":
      options.record_delimiter = "\u2028";
      break;
  }
  return [void 0, options];
};

// node_modules/csv-stringify/lib/api/index.js
var bom_utf8 = Buffer.from([239, 187, 191]);
var emits_separator = function(value, separators) {
  return separators.some(
    (separator) => separator.length !== 0 && (value.indexOf(separator) !== -1 || separator.length > 1 && (value + separator).indexOf(separator) < value.length)
  );
};
var matches_quoted_match = function(value, quoted_match) {
  if (!quoted_match) return false;
  return quoted_match.some(
    (pattern) => typeof pattern === "string" ? value.indexOf(pattern) !== -1 : value.search(pattern) !== -1
  );
};
var stringifier = function(options, state, info) {
  return {
    options,
    state,
    info,
    __transform: function(chunk, push) {
      if (!Array.isArray(chunk) && typeof chunk !== "object") {
        return Error(
          `Invalid Record: expect an array or an object, got ${JSON.stringify(chunk)}`
        );
      }
      if (this.info.records === 0) {
        if (Array.isArray(chunk)) {
          if (this.options.header === true && this.options.columns === void 0) {
            return Error(
              "Undiscoverable Columns: header option requires column option or object records"
            );
          }
        } else if (this.options.columns === void 0) {
          const [err2, columns2] = normalize_columns(Object.keys(chunk));
          if (err2) return;
          this.options.columns = columns2;
        }
      }
      if (this.info.records === 0) {
        this.bom(push);
        const err2 = this.headers(push);
        if (err2) return err2;
      }
      try {
        if (this.options.on_record) {
          this.options.on_record(chunk, this.info.records);
        }
      } catch (err2) {
        return err2;
      }
      let err, chunk_string;
      if (this.options.eof) {
        [err, chunk_string] = this.stringify(chunk);
        if (err) return err;
        if (chunk_string === void 0) {
          return;
        } else {
          chunk_string = chunk_string + this.options.record_delimiter;
        }
      } else {
        [err, chunk_string] = this.stringify(chunk);
        if (err) return err;
        if (chunk_string === void 0) {
          return;
        } else {
          if (this.options.header || this.info.records) {
            chunk_string = this.options.record_delimiter + chunk_string;
          }
        }
      }
      this.info.records++;
      push(chunk_string);
    },
    stringify: function(chunk, chunkIsHeader = false) {
      if (typeof chunk !== "object") {
        return [void 0, chunk];
      }
      const { columns: columns2 } = this.options;
      const record = [];
      if (Array.isArray(chunk)) {
        const length = columns2 ? Math.min(chunk.length, columns2.length) : chunk.length;
        for (let i = 0; i < length; i++) {
          const field = chunk[i];
          const [err, value] = this.__cast(field, {
            index: i,
            column: i,
            records: this.info.records,
            header: chunkIsHeader
          });
          if (err) return [err];
          record[i] = [value, field];
        }
      } else {
        for (let i = 0; i < columns2.length; i++) {
          const field = get(chunk, columns2[i].key);
          const [err, value] = this.__cast(field, {
            index: i,
            column: columns2[i].key,
            records: this.info.records,
            header: chunkIsHeader
          });
          if (err) return [err];
          record[i] = [value, field];
        }
      }
      let csvrecord = "";
      for (let i = 0; i < record.length; i++) {
        let options2, err;
        let [value, field] = record[i];
        if (typeof value === "string") {
          options2 = this.options;
        } else if (is_object(value)) {
          options2 = { ...value };
          value = options2.value;
          delete options2.value;
          if (typeof value !== "string" && value !== void 0 && value !== null) {
            if (err)
              return [
                Error(
                  `Invalid Casting Value: returned value must return a string, null or undefined, got ${JSON.stringify(value)}`
                )
              ];
          }
          options2 = { ...this.options, ...options2 };
          [err, options2] = normalize_options(options2);
          if (err !== void 0) {
            return [err];
          }
        } else if (value === void 0 || value === null) {
          options2 = this.options;
        } else {
          return [
            Error(
              `Invalid Casting Value: returned value must return a string, an object, null or undefined, got ${JSON.stringify(value)}`
            )
          ];
        }
        const {
          delimiter,
          escape,
          quote,
          quoted,
          quoted_empty,
          quoted_string,
          quoted_match,
          record_delimiter,
          quote_record_delimiter,
          escape_formulas
        } = options2;
        if ("" === value && "" === field) {
          const quotedMatch = matches_quoted_match(value, quoted_match);
          const shouldQuote = quotedMatch || true === quoted_empty || true === quoted_string && false !== quoted_empty;
          if (shouldQuote === true) {
            value = quote + value + quote;
          }
          csvrecord += value;
        } else if (value) {
          if (typeof value !== "string") {
            return [
              Error(
                `Formatter must return a string, null or undefined, got ${JSON.stringify(value)}`
              )
            ];
          }
          const containsdelimiter = emits_separator(value, [delimiter]);
          const containsQuote = quote !== "" && value.indexOf(quote) >= 0;
          const containsEscape = value.indexOf(escape) >= 0 && escape !== quote;
          const containsRecordDelimiter = emits_separator(value, [
            record_delimiter,
            ...quote_record_delimiter === false ? [] : ["\n", "\r"]
          ]);
          const quotedString = quoted_string && typeof field === "string";
          const quotedMatch = matches_quoted_match(value, quoted_match);
          if (escape_formulas) {
            switch (value[0]) {
              case "-":
                if (typeof field === "number" || typeof field === "bigint") {
                  break;
                }
                value = `'${value}`;
                break;
              case "=":
              case "+":
              case "@":
              case "	":
              case "\r":
              case "＝":
              // Unicode '='
              case "＋":
              // Unicode '+'
              case "－":
              // Unicode '-'
              case "＠":
                value = `'${value}`;
                break;
            }
          }
          const shouldQuote = containsQuote === true || containsdelimiter || containsRecordDelimiter || quoted || quotedString || quotedMatch;
          if (shouldQuote === true && containsEscape === true) {
            value = value.replaceAll(escape, () => escape + escape);
          }
          if (containsQuote === true) {
            value = value.replaceAll(quote, () => escape + quote);
          }
          if (shouldQuote === true) {
            value = quote + value + quote;
          }
          csvrecord += value;
        } else if (quoted_empty === true || field === "" && quoted_string === true && quoted_empty !== false) {
          csvrecord += quote + quote;
        }
        if (i !== record.length - 1) {
          csvrecord += delimiter;
        }
      }
      return [void 0, csvrecord];
    },
    bom: function(push) {
      if (this.options.bom !== true) {
        return;
      }
      push(bom_utf8);
    },
    headers: function(push) {
      if (this.options.header === false) {
        return;
      }
      if (this.options.columns === void 0) {
        return;
      }
      let err;
      let headers = this.options.columns.map((column) => column.header);
      if (this.options.eof) {
        [err, headers] = this.stringify(headers, true);
        headers += this.options.record_delimiter;
      } else {
        [err, headers] = this.stringify(headers, true);
      }
      if (err) return err;
      if (this.options.header_as_comment) {
        headers = this.options.header_as_comment + " " + headers;
      }
      push(headers);
    },
    __cast: function(value, context) {
      const type = typeof value;
      try {
        if (type === "string") {
          return [void 0, this.options.cast.string(value, context)];
        } else if (type === "bigint") {
          return [void 0, this.options.cast.bigint(value, context)];
        } else if (type === "number") {
          return [void 0, this.options.cast.number(value, context)];
        } else if (type === "boolean") {
          return [void 0, this.options.cast.boolean(value, context)];
        } else if (value instanceof Date) {
          return [void 0, this.options.cast.date(value, context)];
        } else if (type === "object" && value !== null) {
          return [void 0, this.options.cast.object(value, context)];
        } else if (value === null && this.options.cast.null !== void 0) {
          return [void 0, this.options.cast.null(value, context)];
        } else if (value === void 0 && this.options.cast.undefined !== void 0) {
          return [void 0, this.options.cast.undefined(value, context)];
        } else {
          return [void 0, value];
        }
      } catch (err) {
        return [err];
      }
    }
  };
};

// node_modules/csv-stringify/lib/sync.js
var stringify = function(records, opts = {}) {
  const data = [];
  const [err, options] = normalize_options(opts);
  if (err !== void 0) throw err;
  const state = {
    stop: false
  };
  const info = {
    records: 0
  };
  const api = stringifier(options, state, info);
  for (const record of records) {
    const err2 = api.__transform(record, function(record2) {
      data.push(record2);
    });
    if (err2 !== void 0) throw err2;
  }
  if (data.length === 0) {
    api.bom((d) => {
      data.push(d);
    });
    const err2 = api.headers((headers) => {
      data.push(headers);
    });
    if (err2 !== void 0) throw err2;
  }
  return data.join("");
};

// scripts/src/report/census.ts
function countText(count) {
  if (count === void 0) return "";
  if (count.exact) return number(count.perRequest);
  return `${number(count.perRequest)} (${number(count.min)}–${number(count.max)})`;
}
function number(value) {
  return Number.isInteger(value) ? decimal(value) : significant(value);
}
function isClear({ base, head }) {
  return base.exact && head.exact || head.min > base.max || head.max < base.min;
}
function explainCensus(differences, ink) {
  const clear = differences.filter(isClear);
  if (clear.length === 0) return "";
  const clauses = clear.map((difference) => clause(difference, ink));
  const causes = clear.map(cause).filter((text) => text !== "");
  return `It now ${list(clauses)}${causes.length === 0 ? "" : `: ${list(causes)}`}.`;
}
function clause({ count, base, head }, ink) {
  const was = `(was ${number(base.perRequest)})`;
  const amount = number(head.perRequest);
  const some2 = (one) => `${ink.strong(`${amount} ${one}${head.perRequest === 1 ? "" : "s"} per request`)} ${was}`;
  switch (count) {
    case "sqlStatements":
      return `runs ${some2("SQL statement")}`;
    case "dbConnections": {
      const rate = `${decimal(head.perRequest, 2)} new MySQL connection${head.perRequest > 1 ? "s" : ""} per request`;
      return `opens ${ink.strong(rate)} (was ${decimal(base.perRequest, 2)})`;
    }
    case "redisCommands":
      return `sends ${some2("Redis command")}`;
    case "responseBytes":
      return `answers with ${ink.strong(`${decimal(head.perRequest)} bytes`)} (was ${decimal(base.perRequest)})`;
    default:
      return assertNever(count);
  }
}
function cause({ count, base, head }) {
  const added = head.perRequest - base.perRequest;
  if (count === "dbConnections" && base.perRequest < 0.5 && head.perRequest >= 0.5) {
    return "a persistent connection was probably lost";
  }
  if (count === "sqlStatements" && added >= 3 && head.perRequest >= 2 * base.perRequest) {
    return "probably a query inside a loop (N+1)";
  }
  return "";
}
var COUNTS = ["sqlStatements", "dbConnections", "redisCommands", "responseBytes"];

// scripts/src/report/csv.ts
var JUDGED = ["qps", "latency", "min-qps", "max-p99"];
function renderCsv({ comparison, census }) {
  const counts = new Map(census?.scenarios.map((entry) => [entry.scenario, entry.arms]));
  const rows = comparison.cells.flatMap(
    (result) => ARMS.map((arm) => [
      ...cellFields(result, arm),
      ...figureFields(result, arm),
      ...countFields(counts.get(result.cell.scenario)?.[arm]),
      ...JUDGED.flatMap((metric) => testFields(metric, testOf(result, metric)))
    ])
  );
  const header = rows[0]?.map(([name]) => name) ?? ["scenario", "arm", "verdict"];
  return stringify([header, ...rows.map((row) => row.map(([, value]) => value === null ? "" : String(value)))]);
}
function cellFields(result, arm) {
  const { cell, connection, verdict, statistic, rounds } = result;
  return [
    ["scenario", harmless(cell.scenario)],
    ["load_model", cell.model],
    ["level", cell.level],
    ["rate", result.rate],
    ["connection", connection],
    ["arm", arm],
    ["verdict", verdict],
    ["latency_statistic", statistic],
    ["rounds", rounds],
    ["slots_measured", result.slots],
    ["slots_struck", Object.values(result.struck).reduce((sum, count) => sum + count, 0)]
  ];
}
function harmless(text) {
  const line = visible(text);
  return /^[=+\-@＝＋－＠]/.test(line) ? `'${line}` : line;
}
function figureFields(result, arm) {
  const figures2 = result.figures[arm];
  const latency = figures2?.latencyMs;
  return [
    ["slots_clean", figures2?.slots ?? null],
    ["requests", figures2?.requests ?? null],
    ["qps", figures2?.qps ?? null],
    ["avg_ms", latency?.avg ?? null],
    ["p50_ms", latency?.p50 ?? null],
    ["p90_ms", latency?.p90 ?? null],
    ["p95_ms", latency?.p95 ?? null],
    ["p99_ms", latency?.p99 ?? null],
    ["max_ms", figures2?.maxMs ?? null],
    ["cpu_ms_per_request", figures2?.cpuMsPerRequest ?? null],
    ["cpu_peak_cores", figures2?.cpuPeakCores ?? null],
    ["memory_bytes", figures2?.memoryBytes ?? null],
    ["throttled_periods", figures2?.throttledPeriods ?? null],
    ["time_wait", figures2?.timeWait ?? null],
    ["errors", figures2?.errors ?? null],
    ["failed_checks", figures2?.failedChecks ?? null]
  ];
}
function countFields(census) {
  return COUNTS.map((count) => [`${snake(count)}_per_request`, census?.counts[count]?.perRequest ?? null]);
}
function testFields(metric, test) {
  const prefix = metric.replace("-", "_");
  return [
    [`${prefix}_ratio`, test?.estimate?.ratio ?? null],
    [`${prefix}_ratio_low`, test?.estimate?.low ?? null],
    [`${prefix}_ratio_high`, test?.estimate?.high ?? null],
    [`${prefix}_line`, test?.line ?? null],
    [`${prefix}_limit`, test?.limit ?? null],
    [`${prefix}_p`, test?.p ?? null],
    [`${prefix}_verdict`, test?.verdict ?? null],
    [`${prefix}_confirmation`, test?.confirmation ?? null]
  ];
}
function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

// node_modules/marked/lib/marked.esm.js
function G() {
  return { async: false, breaks: false, extensions: null, gfm: true, hooks: null, pedantic: false, renderer: null, silent: false, tokenizer: null, walkTokens: null };
}
var S = G();
function ue(l3) {
  S = l3;
}
var q = { exec: () => null };
function D(l3) {
  let e = [];
  return (t) => {
    let n = Math.max(0, Math.min(3, t - 1)), r = e[n];
    return r || (r = l3(n), e[n] = r), r;
  };
}
function g(l3, e = "") {
  let t = typeof l3 == "string" ? l3 : l3.source, n = { replace: (r, s) => {
    let o = typeof s == "string" ? s : s.source;
    return o = o.replace(O.caret, "$1"), t = t.replace(r, o), n;
  }, getRegex: () => new RegExp(t, e) };
  return n;
}
var _e = ((l3 = "") => {
  try {
    return !!new RegExp("(?<=1)(?<!1)" + l3);
  } catch {
    return false;
  }
})();
var O = { codeRemoveIndent: /^(?: {0,3}\t| {1,4})/gm, listInterruptsParagraph: /^ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/, outputLinkReplace: /\\([\[\]])/g, indentCodeCompensation: /^(\s+)(?:```)/, beginningSpace: /^\s+/, endingHash: /#$/, startingSpaceChar: /^ /, endingSpaceChar: / $/, endingSpaceTabChar: /[ \t]$/, nonSpaceChar: /[^ ]/, newLineCharGlobal: /\n/g, tabCharGlobal: /\t/g, leadingSpaceTab: /^[ \t]+/, multipleSpaceGlobal: /\s+/g, blankLine: /^[ \t]*$/, doubleBlankLine: /\n[ \t]*\n[ \t]*$/, blockquoteStart: /^ {0,3}>/, blockquoteSetextReplace: /\n {0,3}((?:=+|-+)[ \t]*)(?=\n|$)/g, blockquoteSetextReplace2: /^ {0,3}>[ \t]?/gm, blockquoteMarkerWhitespace: /^( {0,3}>)(\t[ \t]*)/gm, nestedBlockMarker: /^ {0,3}(?:(?:[*+-]|\d{1,9}[.)])(?: |$)|> ?)/, listReplaceNesting: /^ {1,4}(?=( {4})*[^ ])/g, listIsTask: /^\[[ xX]\][ \t]+\S/, listReplaceTask: /^\[[ xX]\][ \t]+/, listTaskCheckbox: /\[[ xX]\]/, anyLine: /\n.*\n/, hrefBrackets: /^<(.*)>$/, tableDelimiter: /[:|]/, tableAlignChars: /^\||\| *$/g, tableRowBlankLine: /\n[ \t]*$/, tableAlignRight: /^ *-+: *$/, tableAlignCenter: /^ *:-+: *$/, tableAlignLeft: /^ *:-+ *$/, startATag: /^<a /i, endATag: /^<\/a>/i, startPreScriptTag: /^<(pre|code|kbd|script)(\s|>)/i, endPreScriptTag: /^<\/(pre|code|kbd|script)(\s|>)/i, startAngleBracket: /^</, endAngleBracket: />$/, pedanticHrefTitle: /^([^'"]*[^\s])\s+(['"])(.*)\2/, unicodeAlphaNumeric: /[\p{L}\p{N}]/u, numericCharacterReference: /&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));/, numericCharacterReferenceOrAmpersand: /&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g, escapeTest: /[&<>"']/, escapeReplace: /[&<>"']/g, escapeTestNoEncode: /[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/, escapeReplaceNoEncode: /[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g, caret: /(^|[^\[])\^/g, percentDecode: /%25/g, findPipe: /\|/g, splitPipe: / \|/, slashPipe: /\\\|/g, carriageReturn: /\r\n|\r/g, spaceLine: /^ +$/gm, notSpaceStart: /^\S*/, endingNewline: /\n$/, listItemRegex: (l3) => new RegExp(`^( {0,3}${l3})((?:[	 ][^\\n]*)?(?:\\n|$))`), nextBulletRegex: D((l3) => new RegExp(`^ {0,${l3}}(?:[*+-]|\\d{1,9}[.)])((?:[ 	][^\\n]*)?(?:\\n|$))`)), hrRegex: D((l3) => new RegExp(`^ {0,${l3}}((?:-[ 	]*){3,}|(?:_[ 	]*){3,}|(?:\\*[ 	]*){3,})(?:\\n+|$)`)), fencesBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}(?:\`\`\`|~~~)`)), headingBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}#{1,6}(?:\\s|$)`)), pedanticHeadingBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}#`)), htmlBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}(?:</?(?:${he})(?:[ \\t]+|$|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)`, "i")), blockquoteBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}>`)), nestedContainerMarkers: /^(?: {0,3}(?:(?:[*+-]|\d{1,9}[.)])[ \t]+|>[ \t]?))+/ };
var Ge = /^(?:[ \t]*(?:\n|$))+/;
var Ne = /^((?: {4}| {0,3}\t)[^\n]+(?:\n(?:[ \t]*(?:\n|$))*)?)+/;
var Fe = /^ {0,3}(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)(?:|([\s\S]*?)(?:\n|$))(?: {0,3}(?:(?=`)\1`*|(?=~)\1~*) *(?=\n|$)|$)/;
var V = /^ {0,3}((?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/;
var Qe = /^ {0,3}(#{1,6})(?=\s|$)(.*)(?:\n+|$)/;
var ce = / {0,3}(?:[*+-]|\d{1,9}[.)])/;
var he = "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";
var J = g(" {0,3}(?:</?(?:tag)(?:[ \\t]+|\\n|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)").replace("tag", he).getRegex();
var $e = /^(?!bull |blockCode|fences|blockquote|heading|html|table)((?:.|\n(?!\s*?\n|bull |fences|blockquote|heading|hr|html|table))+?)\n {0,3}(=+|-+)[ \t]*(?:\n+|$)/;
var Le = g($e).replace(/bull/g, ce).replace(/blockCode/g, /(?: {4}| {0,3}\t)/).replace(/fences/g, / {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g, / {0,3}>/).replace(/heading/g, / {0,3}#{1,6}(?:\s|$)/).replace(/hr/g, / {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/\|table/g, "").replace(/html/g, J).getRegex();
var We = g($e).replace(/bull/g, ce).replace(/blockCode/g, /(?: {4}| {0,3}\t)/).replace(/fences/g, / {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g, / {0,3}>/).replace(/heading/g, / {0,3}#{1,6}(?:\s|$)/).replace(/hr/g, / {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/table/g, / {0,3}\|?(?:[:\- ]*\|)+[\:\- ]*\n/).replace(/html/g, J).getRegex();
var de = /^([^\n]+(?:\n(?!hr|heading|lheading|blockquote|fences|list|html|table|[ \t]+\n)[^\n]+)*)/;
var Ue = /^[^\n]+/;
var ge = /(?!\s*\])(?:\\[\s\S]|[^\[\]\\\n]|\n(?![ \t]*\n))+/;
var Ke = g(/^ {0,3}\[(label)\]: *(?:\n[ \t]*)?([^<\s][^\s]*|<(?:\\.|[^\n<>\\])*>)(?:(?: +(?:\n[ \t]*)?| *\n[ \t]*)(title))? *(?:\n+|$)/).replace("label", ge).replace("title", /(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\\n]|\n(?!\n))*'|\((?:\\[\s\S]|[^()\\])*\))/).getRegex();
var Xe = g(/^(bull)([ \t][^\n]*?)?(?:\n|$)/).replace(/bull/g, ce).getRegex();
var ke = /<!--(?:-?>|[\s\S]*?(?:-->|$))/;
var Ve = g("^ {0,3}(?:<(script|pre|style|textarea)[\\s>][\\s\\S]*?(?:</\\1>[^\\n]*\\n*|$)|comment[^\\n]*(\\n+|$)|<\\?[\\s\\S]*?(?:\\?>[^\\n]*\\n*|$)|<![A-Z][\\s\\S]*?(?:>[^\\n]*\\n*|$)|<!\\[CDATA\\[[\\s\\S]*?(?:\\]\\]>[^\\n]*\\n*|$)|</?(tag)(?:[ \\t]+|\\n|/?>|$)[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|<(?!(?:script|pre|style|textarea)(?![a-z0-9-]))([a-z][a-z0-9-]*)(?:attribute)*?[ \\t]*/?>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|</[a-z][a-z0-9-]*\\s*>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$))", "i").replace("comment", ke).replace("tag", he).replace("attribute", /[ \t]+[a-zA-Z:_][\w.:-]*(?:[ \t]*=[ \t]*"[^"\n]*"|[ \t]*=[ \t]*'[^'\n]*'|[ \t]*=[ \t]*[^\s"'=<>`]+)?/).getRegex();
var Ce = (l3) => g(de).replace("hr", V).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("|lheading", "").replace("|table", "").replace("blockquote", " {0,3}>").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", l3).replace("html", J).getRegex();
var Je = Ce(/ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/);
var Ye = Ce(/ {0,3}(?:[*+-]|\d{1,9}[.)])(?:[ \t]|\n|$)/);
var et = g(/^( {0,3}> ?(?:(?![ \t]*(?:\n|$))(paragraph)|[^\n]*)(?:\n|$))+/).replace("paragraph", Ye).getRegex();
var fe = { blockquote: et, code: Ne, def: Ke, fences: Fe, heading: Qe, hr: V, html: Ve, lheading: Le, list: Xe, newline: Ge, paragraph: Je, table: q, text: Ue };
var Pe = g("^ *([^\\n ].*)\\n {0,3}((?:\\| *)?:?-+:? *(?:\\| *:?-+:? *)*(?:\\| *)?)(?:\\n((?:(?! *\\n|hr|heading|blockquote|code|fences|list|html).*(?:\\n|$))*)\\n*|$)").replace("hr", V).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("blockquote", " {0,3}>").replace("code", "(?: {4}| {0,3}	)[^\\n]").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", " {0,3}(?:[*+-]|1[.)])[ \\t]").replace("html", J).getRegex();
var tt = { ...fe, lheading: We, table: Pe, paragraph: g(de).replace("hr", V).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("|lheading", "").replace("table", Pe).replace("blockquote", " {0,3}>").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", " {0,3}(?:[*+-]|1[.)])[ \\t]+[^ \\t\\n]").replace("html", J).getRegex() };
var nt = { ...fe, html: g(`^ *(?:comment(?: *\\n|\\s*$)|<(tag)[\\s\\S]+?</\\1>(?: *\\n{2,}|\\s*$)|<tag(?:"[^"]*"|'[^']*'|\\s[^'"/>\\s]*)*?/?>(?: *\\n{2,}|\\s*$))`).replace("comment", ke).replace(/tag/g, "(?!(?:a|em|strong|small|s|cite|q|dfn|abbr|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|ruby|rt|rp|bdi|bdo|span|br|wbr|ins|del|img)\\b)\\w+(?!:|[^\\w\\s@]*@)\\b").getRegex(), def: /^ *\[([^\]]+)\]: *<?([^\s>]+)>?(?: +(["(][^\n]+[")]))? *(?:\n+|$)/, heading: /^(#{1,6})(.*)(?:\n+|$)/, fences: q, lheading: /^(.+?)\n {0,3}(=+|-+) *(?:\n+|$)/, paragraph: g(de).replace("hr", V).replace("heading", ` *#{1,6} *[^
]`).replace("|table", "").replace("blockquote", " {0,3}>").replace("|fences", "").replace("|list", "").replace("|html", "").replace("|tag", "").replace("lheading", Le).getRegex() };
var rt = /^\\([!"#$%&'()*+,\-./:;<=>?@\[\]\\^_`{|}~])/;
var st = /^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/;
var Ie = /^( {2,}|\\)\n(?!\s*$)[ \t]*/;
var it = /^(`+|[^`])(?:(?= {2,}\n)|[\s\S]*?(?:(?=[\\<!\[`*_]|\b_|$)|[^ ](?= {2,}\n)))/;
var L = /[\p{P}\p{S}]/u;
var N = /[\s\p{P}\p{S}]/u;
var Y = /[^\s\p{P}\p{S}]/u;
var ot = g(/^((?![*_])punctSpace)/, "u").replace(/punctSpace/g, N).getRegex();
var at = /[\p{Pi}\p{Ps}"']/u;
var Ae = /(?!~)[\p{P}\p{S}]/u;
var lt = /(?!~)[\s\p{P}\p{S}]/u;
var ut = /(?:[^\s\p{P}\p{S}]|~)/u;
var pt = g(/link|precode-code|html/, "g").replace("link", /\[(?:[^\[\]`]|(?<a>`+)[^`]+\k<a>(?!`))*?\]\((?:\\[\s\S]|[^\\\(\)]|\((?:\\[\s\S]|[^\\\(\)])*\))*\)/).replace("precode-", _e ? "(?<!`)()" : "(^^|[^`])").replace("code", /(?<b>`+)[^`]+\k<b>(?!`)/).replace("html", /<(?! )[^<>]*?>/).getRegex();
var Ee = /^(?:\*+(?:((?!\*)punct)|([^\s*]))?)|^_+(?:((?!_)punct)|([^\s_]))?/;
var ct = g(Ee, "u").replace(/punct/g, L).getRegex();
var ht = g(Ee, "u").replace(/punct/g, Ae).getRegex();
var dt = /^(?:\*+(?:((?!\*)(?!openQuote)punct)|([^\s*]))?)|^_+(?:((?!_)(?!openQuote)punct)|([^\s_]))?/;
var gt = g(dt, "u").replace(/openQuote/g, at).replace(/punct/g, L).getRegex();
var ze = "^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)punctSpace(\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|notPunctSpace(\\*+)(?=notPunctSpace)";
var kt = g(ze, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var ft = g(ze, "gu").replace(/notPunctSpace/g, ut).replace(/punctSpace/g, lt).replace(/punct/g, Ae).getRegex();
var mt = "^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)[\\s](\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|(?:(?!\\*)punct|notPunctSpace)(\\*+)(?!\\*)(?=notPunctSpace)";
var xt = g(mt, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var bt = g("^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)punctSpace(_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)", "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var Rt = "^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)[\\s](_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)|(?:(?!_)punct|notPunctSpace)(_+)(?!_)(?=notPunctSpace)";
var Tt = g(Rt, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var Ot = g(/^~~?(?:((?!~)punct)|[^\s~])/, "u").replace(/punct/g, L).getRegex();
var wt = "^[^~]+(?=[^~])|(?!~)punct(~~?)(?=[\\s]|$)|notPunctSpace(~~?)(?!~)(?=punctSpace|$)|(?!~)punctSpace(~~?)(?=notPunctSpace)|[\\s](~~?)(?!~)(?=punct)|(?!~)punct(~~?)(?!~)(?=punct)|notPunctSpace(~~?)(?=notPunctSpace)";
var Pt = g(wt, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var yt = g(/\\(punct)/, "gu").replace(/punct/g, L).getRegex();
var St = g(/(`+)(?:[^`]|[^`][\s\S]*?[^`])\1(?!`)|`+|\\(punct)/, "gu").replace(/punct/g, L).getRegex();
var _t = g(/^<(scheme:[^\s\x00-\x1f<>]*|email)>/).replace("scheme", /[a-zA-Z][a-zA-Z0-9+.-]{1,31}/).replace("email", /[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+(@)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+(?![-_])/).getRegex();
var $t = g(ke).replace("(?:-->|$)", "-->").getRegex();
var Lt = g("^comment|^</[a-zA-Z][a-zA-Z0-9-]*\\s*>|^<[a-zA-Z][a-zA-Z0-9-]*(?:attribute)*?\\s*/?>|^<\\?[\\s\\S]*?\\?>|^<![a-zA-Z]+\\s[\\s\\S]*?>|^<!\\[CDATA\\[[\\s\\S]*?\\]\\]>").replace("comment", $t).replace("attribute", /\s+[a-zA-Z:_][\w.:-]*(?:\s*=\s*"[^"]*"|\s*=\s*'[^']*'|\s*=\s*[^\s"'=<>`]+)?/).getRegex();
var Me = /\[(?:\\[\s\S]|[^\[\]\\])*\]/;
var ie = g(/(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\])|[^\[\]\\`])*?/).replace("brackets", Me).getRegex();
var Ct = g(/^!?\[(label)\]\([ \t\n]*(href)(?:(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)(title))?[ \t\n]*\)/).replace("label", ie).replace("href", /<(?:\\.|[^\n<>\\])*>|(?!<)[^ \t\n\x00-\x1f]+|(?=\))/).replace("title", /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^)\\])*\)/).getRegex();
var It = g(/^!?\[(label)\]\[(ref)\]/).replace("label", ie).replace("ref", ge).getRegex();
var At = g(/^!?\[(ref)\](?:\[\])?/).replace("ref", ge).getRegex();
var ye = /(?!\s*\])(?:\\[\s\S]|[^\[\]\\]){1,999}/;
var Et = g(/(?:[^\[\]\\`]*(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\]))){0,999}?[^\[\]\\`]*?/).replace("brackets", Me).getRegex();
var zt = g("reflink|nolink(?!\\()", "g").replace("reflink", g(/^!?\[(label)\]\[(ref)\]/).replace("label", Et).replace("ref", ye).getRegex()).replace("nolink", g(/^!?\[(ref)\](?:\[\])?/).replace("ref", ye).getRegex()).getRegex();
var Se = /[hH][tT][tT][pP][sS]?|[fF][tT][pP]/;
var Mt = /[A-Za-z0-9._+-]+@[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/;
var Bt = g(/(?:mailto:email|xmpp:email(?:\/[A-Za-z0-9@.]+)?)/).replace(/email/g, Mt).getRegex();
var me = { _backpedal: q, anyPunctuation: yt, anyPunctuationOutsideCode: St, autolink: _t, blockSkip: pt, br: Ie, code: st, del: q, delLDelim: q, delRDelim: q, emStrongLDelim: ct, emStrongRDelimAst: kt, emStrongRDelimUnd: bt, escape: rt, link: Ct, nolink: At, punctuation: ot, reflink: It, reflinkSearch: zt, tag: Lt, text: it, url: q };
var Dt = { ...me, emStrongLDelim: gt, emStrongRDelimAst: xt, emStrongRDelimUnd: Tt, link: g(/^!?\[(label)\]\((.*?)\)/).replace("label", ie).getRegex(), reflink: g(/^!?\[(label)\]\s*\[([^\]]*)\]/).replace("label", ie).getRegex() };
var pe = { ...me, emStrongRDelimAst: ft, emStrongLDelim: ht, delLDelim: Ot, delRDelim: Pt, url: g(/^emailProtocol|^((?:protocol):\/\/|www\.)(?:[a-zA-Z0-9\-]+\.?)+[^\s<]*|^email/).replace("emailProtocol", Bt).replace("protocol", Se).replace("email", /[A-Za-z0-9._+-]+(@)[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/).getRegex(), _backpedal: /(?:[^?!.,:;*_'"~()&]+|\([^)]*\)|&(?![a-zA-Z0-9]+;$)|[?!.,:;*_'"~)]+(?!$))+/, del: /^(~~?)(?=[^\s~])((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s~\\]))\1(?=[^~]|$)/, text: g(/^(?:[^a-zA-Z0-9](?=emailProtocol)|(`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|(?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@)|[\s\S]*?(?:(?=[\\<!\[`*~_]|\b_|protocol:\/\/|wwwStart|$)|[^ ](?= {2,}\n)|[^a-zA-Z0-9](?=emailProtocol)|[^a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-](?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@))))/).replace("protocol", Se).replace(/emailProtocol/g, /(?:mailto|xmpp):/).replace("wwwStart", _e ? "(?<![^\\s*_~(])www\\." : "www\\.").getRegex() };
var qt = { ...pe, br: g(Ie).replace("{2,}", "*").getRegex(), text: g(pe.text).replace("\\b_", "\\b_| {2,}\\n").replace(/\{2,\}/g, "*").getRegex() };
var ee = { normal: fe, gfm: tt, pedantic: nt };
var F = { normal: me, gfm: pe, breaks: qt, pedantic: Dt };
var vt = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
var Be = (l3) => vt[l3];
function y(l3, e) {
  if (e) {
    if (O.escapeTest.test(l3)) return l3.replace(O.escapeReplace, Be);
  } else if (O.escapeTestNoEncode.test(l3)) return l3.replace(O.escapeReplaceNoEncode, Be);
  return l3;
}
function De(l3) {
  return O.numericCharacterReference.test(l3) ? l3.replace(O.numericCharacterReferenceOrAmpersand, (e, t, n) => {
    if (t === void 0 && n === void 0) return "&amp;";
    let r = t === void 0 ? Number.parseInt(n, 16) : Number.parseInt(t, 10);
    return r === 0 || r > 1114111 || r >= 55296 && r <= 57343 ? "�" : r === 38 ? "&amp;" : String.fromCodePoint(r);
  }) : l3;
}
function xe(l3) {
  try {
    l3 = encodeURI(l3).replace(O.percentDecode, "%");
  } catch {
    return null;
  }
  return l3;
}
function be(l3, e) {
  let t = l3.replace(O.findPipe, (s, o, i) => {
    let a = false, c = o;
    for (; --c >= 0 && i[c] === "\\"; ) a = !a;
    return a ? "|" : " |";
  }), n = t.split(O.splitPipe), r = 0;
  if (n[0].trim() || n.shift(), n.length > 0 && !n.at(-1)?.trim() && n.pop(), e) if (n.length > e) n.splice(e);
  else for (; n.length < e; ) n.push("");
  for (; r < n.length; r++) n[r] = n[r].trim().replace(O.slashPipe, "|");
  return n;
}
function C(l3, e, t) {
  let n = l3.length;
  if (n === 0) return "";
  let r = 0;
  for (; r < n; ) {
    let s = l3.charAt(n - r - 1);
    if (s === e && !t) r++;
    else if (s !== e && t) r++;
    else break;
  }
  return l3.slice(0, n - r);
}
function Re(l3) {
  let e = l3.split(`
`), t = e.length - 1;
  for (; t >= 0 && O.blankLine.test(e[t]); ) t--;
  return e.length - t <= 2 ? l3 : e.slice(0, t + 1).join(`
`);
}
function W(l3) {
  return l3.trim().replace(O.multipleSpaceGlobal, " ").toLowerCase().toUpperCase().toLowerCase();
}
function Te(l3, e) {
  if (l3.indexOf(e[0]) === -1 && l3.indexOf(e[1]) === -1) return -1;
  let t = 0;
  for (let n = 0; n < l3.length; n++) if (l3[n] === "\\") n++;
  else if (l3[n] === e[0]) t++;
  else if (l3[n] === e[1] && (t--, t < 0)) return n;
  return t > 0 ? -2 : -1;
}
var Q = /* @__PURE__ */ new WeakMap();
function Oe(l3) {
  let e = { "*": -1, _: -1 }, t = -1, n = l3.length;
  for (let r = 0; r < n; r++) {
    let s = l3[r];
    if (s !== "*" && s !== "_" && s !== "~") continue;
    let o = r === 0 ? `
` : l3[r - 1], i = r + 1;
    for (; i < n && l3[i] === s; ) i++;
    o !== " " && o !== "	" && o !== `
` && o !== "\r" && o !== "\f" && (s === "~" ? t = r : e[s] = r), r = i - 1;
  }
  return { maskedSrc: l3, lastPossibleEmStrongCloserIndex: e, lastPossibleDelCloserIndex: t };
}
function qe(l3, e) {
  let t = Oe(e), n = Q.get(l3);
  n ? n.push(t) : Q.set(l3, [t]);
}
function ve(l3) {
  let e = Q.get(l3);
  e && (e.pop(), e.length === 0 && Q.delete(l3));
}
function oe(l3, e, t) {
  let n = Q.get(l3)?.at(-1);
  return n && n.maskedSrc === e ? n.lastPossibleEmStrongCloserIndex[t] : Oe(e).lastPossibleEmStrongCloserIndex[t];
}
function ae(l3, e) {
  let t = Q.get(l3)?.at(-1);
  return t && t.maskedSrc === e ? t.lastPossibleDelCloserIndex : Oe(e).lastPossibleDelCloserIndex;
}
function te(l3, e = 0) {
  let t = e, n = "";
  for (let r of l3) if (r === "	") {
    let s = 4 - t % 4;
    n += " ".repeat(s), t += s;
  } else n += r, t++;
  return n;
}
function Ht(l3, e) {
  let t = "";
  for (let n = 0; n < l3.length; n++) {
    if (l3[n] === "`") {
      let r = e.inline.code.exec(l3.slice(n));
      if (r) {
        t += r[0], n += r[0].length - 1;
        continue;
      }
    }
    if (l3[n] === "\\" && (l3[n + 1] === "[" || l3[n + 1] === "]")) {
      t += l3[n + 1], n++;
      continue;
    }
    t += l3[n];
  }
  return t;
}
function He(l3, e, t, n, r) {
  let s = e.href, o = e.title || null, i = Ht(l3[1], r), a = l3[0].charAt(0) === "!", c = n.state.inLink, u = n.state.linkEmitted, d = n.state.inRawBlock;
  n.state.inLink = true, n.state.linkEmitted = false;
  let h = n.inlineTokens(i), p = n.state.linkEmitted;
  if (n.state.linkEmitted = u, n.state.inLink = c, !a) {
    if (p) {
      n.state.inRawBlock = d;
      return;
    }
    n.state.linkEmitted = true;
  }
  return { type: a ? "image" : "link", raw: t, href: s, title: o, text: i, tokens: h };
}
function Zt(l3, e, t) {
  let n = l3.match(t.other.indentCodeCompensation);
  if (n === null) return e;
  let r = n[1];
  return e.split(`
`).map((s) => {
    let o = s.match(t.other.beginningSpace);
    if (o === null) return s;
    let [i] = o;
    return s.slice(Math.min(i.length, r.length));
  }).join(`
`);
}
function Ze(l3, e, t, n) {
  if (!e.includes("<")) return false;
  for (let r = 0; r < e.length; r++) {
    if (e[r] === "\\") {
      r++;
      continue;
    }
    if (e[r] === "`") {
      let i = n.inline.code.exec(e.slice(r));
      if (i) {
        r += i[0].length - 1;
        continue;
      }
    }
    if (e[r] !== "<") continue;
    let s = l3.slice(t + r), o = n.inline.tag.exec(s) || n.inline.autolink.exec(s);
    if (o) {
      if (o[0].length > e.length - r) return true;
      r += o[0].length - 1;
    }
  }
  return false;
}
var _ = class {
  options;
  rules;
  lexer;
  constructor(e) {
    this.options = e || S;
  }
  space(e) {
    let t = this.rules.block.newline.exec(e);
    if (t && t[0].length > 0) return { type: "space", raw: t[0] };
  }
  code(e) {
    let t = this.rules.block.code.exec(e);
    if (t) {
      let n = this.options.pedantic ? t[0] : Re(t[0]), r = n.replace(this.rules.other.codeRemoveIndent, "");
      return { type: "code", raw: n, codeBlockStyle: "indented", text: r };
    }
  }
  fences(e) {
    let t = this.rules.block.fences.exec(e);
    if (t) {
      let n = t[0], r = Zt(n, t[3] || "", this.rules);
      return t[3] !== void 0 && (r === "" || r.endsWith(`
`)) && (r += `
`), { type: "code", raw: n, lang: t[2] ? t[2].trim().replace(this.rules.inline.anyPunctuation, "$1") : t[2], text: r };
    }
  }
  heading(e) {
    let t = this.rules.block.heading.exec(e);
    if (t) {
      let n = t[2].trim();
      if (this.rules.other.endingHash.test(n)) {
        let r = C(n, "#");
        (this.options.pedantic || !r || this.rules.other.endingSpaceTabChar.test(r)) && (n = r.trim());
      }
      return { type: "heading", raw: C(t[0], `
`), depth: t[1].length, text: n, tokens: this.lexer.inline(n) };
    }
  }
  hr(e) {
    let t = this.rules.block.hr.exec(e);
    if (t) return { type: "hr", raw: C(t[0], `
`) };
  }
  blockquote(e) {
    let t = this.rules.block.blockquote.exec(e);
    if (t) {
      let n = C(t[0], `
`).split(`
`), r = "", s = "", o = [];
      for (; n.length > 0; ) {
        let i = false, a = [], c;
        for (c = 0; c < n.length; c++) if (this.rules.other.blockquoteStart.test(n[c])) a.push(n[c]), i = true;
        else if (!i) a.push(n[c]);
        else break;
        n = n.slice(c);
        let u = a.join(`
`), d = u.replace(this.rules.other.blockquoteMarkerWhitespace, (k, m, b) => b.startsWith(" ") ? m + " " + b.slice(1) : m + te(b, m.length)).replace(this.rules.other.blockquoteSetextReplace, `
    $1`).replace(this.rules.other.blockquoteSetextReplace2, "");
        r = r ? `${r}
${u}` : u, s = s ? `${s}
${d}` : d;
        let h = this.lexer.state.top;
        if (this.lexer.state.top = true, this.lexer.blockTokens(d, o, true), this.lexer.state.top = h, n.length === 0) break;
        let p = o.at(-1);
        if (p?.type === "code" || p?.type === "heading" || p?.type === "hr" || p?.type === "html" || p?.type === "table") break;
        if (p?.type === "blockquote") {
          let k = p, m = n.join(`
`), b = k.raw + `
` + m.replace(this.rules.other.blockquoteSetextReplace2, ""), f = this.blockquote(b);
          o[o.length - 1] = f;
          let R = b.substring(f.raw.length).replace(/^\n/, ""), E = R ? R.split(`
`).length : 0, T = E ? n.slice(0, -E) : n;
          if (T.length > 0 && (r = `${r}
${T.join(`
`)}`), s = s.substring(0, s.length - k.text.length) + f.text, n = n.slice(T.length), n.length > 0 && this.rules.other.blockquoteStart.test(n[0])) continue;
          break;
        } else if (p?.type === "list") {
          let k = p, m = k.raw + `
` + n.join(`
`), b = this.list(m);
          o[o.length - 1] = b;
          let f = b.raw.length > k.raw.length ? m.slice(k.raw.length + 1, b.raw.length).split(`
`).length : 0;
          if (f > 0) {
            let R = n.slice(0, f).join(`
`);
            r = `${r}
${R}`, s = `${s}
${R}`;
          }
          if (n = n.slice(f), n.length > 0 && !this.rules.other.blockquoteStart.test(n[0])) break;
          continue;
        }
      }
      return { type: "blockquote", raw: r, tokens: o, text: s };
    }
  }
  list(e) {
    let t = this.rules.block.list.exec(e);
    if (t) {
      if (!this.options.pedantic && this.lexer.state.lastToken?.type === "text" && !this.rules.other.listInterruptsParagraph.test(e)) return;
      let n = e, r = () => n.length - e.length, s = t[1].trim(), o = s.length > 1, i = { type: "list", raw: "", ordered: o, start: o ? +s.slice(0, -1) : "", loose: false, items: [] };
      s = o ? `\\d{1,9}\\${s.slice(-1)}` : `\\${s}`, this.options.pedantic && (s = o ? s : "[*+-]");
      let a = this.rules.other.listItemRegex(s), c = false;
      for (; e; ) {
        let h = false, p = "";
        if (!(t = a.exec(e)) || this.rules.block.hr.test(e)) break;
        let k = r();
        e = e.substring(t[0].length);
        let m = t[2].split(`
`, 1)[0], b = t[1].length, f = this.options.pedantic ? te(m, b) : m.replace(this.rules.other.leadingSpaceTab, (H) => te(H, b)), R = e.split(`
`, 1)[0], E = !f.trim(), T = 0;
        if (this.options.pedantic ? (T = 2, p = f.trimStart()) : E ? T = b + 1 : (T = f.search(this.rules.other.nonSpaceChar), T = T > 4 ? 1 : T, p = f.slice(T), T += b), E && this.rules.other.blankLine.test(R) && (e = e.substring(R.length + 1), h = true), !h) {
          let H = this.rules.other.nextBulletRegex(T), K = this.rules.other.hrRegex(T), re = this.rules.other.fencesBeginRegex(T), B = this.options.pedantic ? this.rules.other.pedanticHeadingBeginRegex(T) : this.rules.other.headingBeginRegex(T), X = this.rules.other.htmlBeginRegex(T), se = this.rules.other.blockquoteBeginRegex(T), le = false;
          for (; e; ) {
            let we = e.split(`
`, 1)[0], Z;
            if (R = we, this.options.pedantic ? (R = R.replace(this.rules.other.listReplaceNesting, "  "), Z = R) : Z = R.replace(this.rules.other.leadingSpaceTab, ($) => te($)), re.test(R) || B.test(R) || X.test(R) || se.test(R) || H.test(R) || K.test(R)) break;
            if (Z.search(this.rules.other.nonSpaceChar) >= T || !R.trim()) p += `
` + Z.slice(T), le = false;
            else {
              if (E) break;
              let $ = f;
              if (!this.options.pedantic && !p.includes(`
`) && !f.includes("	")) {
                let j;
                for (; !K.test($) && (j = this.rules.other.nestedBlockMarker.exec($)); ) $ = $.slice(j[0].length);
                if (!$.trim()) break;
              }
              if ($.replace(this.rules.other.tabCharGlobal, "    ").search(this.rules.other.nonSpaceChar) >= 4 || re.test($) || B.test($) || X.test($) || K.test($)) break;
              if (!this.options.pedantic && !le) {
                let j = f.replace(this.rules.other.nestedContainerMarkers, "");
                if (this.rules.block.fences.test(j) || this.rules.block.heading.test(j) || this.rules.block.hr.test(j)) break;
              }
              let je = !this.options.pedantic && /^ {0,3}(?:=+|-+) *$/.test(R) && this.rules.block.lheading.test(`${f}
${R}`) ? `    ${Z.replace(/^ {0,3}/, "")}` : R;
              p += `
` + je, le = true;
            }
            E = !R.trim(), e = e.substring(we.length + 1), f = Z.slice(T);
          }
        }
        let U = n.slice(k, r());
        i.loose || (c ? i.loose = true : this.rules.other.doubleBlankLine.test(U) && (c = true)), i.items.push({ type: "list_item", raw: U, task: !!this.options.gfm && this.rules.other.listIsTask.test(p), loose: false, text: p, tokens: [] });
      }
      let u = i.items.at(-1);
      if (u) u.raw = u.raw.trimEnd(), u.text = u.text.trimEnd();
      else return;
      i.raw = n.slice(0, r()).trimEnd();
      let d = [];
      for (let h of i.items) if (this.lexer.state.top = false, d.push(this.lexer.inlineQueue.length), h.tokens = this.lexer.blockTokens(h.text, []), !i.loose) {
        let p = h.tokens.filter((m) => m.type === "space"), k = p.length > 0 && p.some((m) => this.rules.other.anyLine.test(m.raw));
        i.loose = k;
      }
      for (let h = 0; h < i.items.length; h++) {
        let p = i.items[h], k = p.tokens[0];
        if (p.task && (k?.type === "text" || k?.type === "paragraph")) {
          p.text = p.text.replace(this.rules.other.listReplaceTask, ""), k.raw = k.raw.replace(this.rules.other.listReplaceTask, ""), k.text = k.text.replace(this.rules.other.listReplaceTask, "");
          let m = this.lexer.inlineQueue;
          for (let f = d[h]; f < m.length; f++) if (m[f].tokens === k.tokens) {
            m[f].src = m[f].src.replace(this.rules.other.listReplaceTask, "");
            break;
          }
          let b = this.rules.other.listTaskCheckbox.exec(p.raw);
          if (b) {
            let f = { type: "checkbox", raw: b[0] + " ", checked: b[0] !== "[ ]" };
            p.checked = f.checked, i.loose ? p.tokens[0] && ["paragraph", "text"].includes(p.tokens[0].type) && "tokens" in p.tokens[0] && p.tokens[0].tokens ? (p.tokens[0].raw = f.raw + p.tokens[0].raw, p.tokens[0].text = f.raw + p.tokens[0].text, p.tokens[0].tokens.unshift(f)) : p.tokens.unshift({ type: "paragraph", raw: f.raw, text: f.raw, tokens: [f] }) : p.tokens.unshift(f);
          }
        } else p.task && (p.task = false);
      }
      if (i.loose) for (let h of i.items) {
        h.loose = true;
        for (let p of h.tokens) p.type === "text" && (p.type = "paragraph");
      }
      return i;
    }
  }
  html(e) {
    let t = this.rules.block.html.exec(e);
    if (t) {
      if (this.lexer.state.lastToken?.type === "paragraph" && !this.rules.other.htmlBeginRegex(4).test(e)) return;
      let n = Re(t[0]);
      return { type: "html", block: true, raw: n, pre: t[1] === "pre" || t[1] === "script" || t[1] === "style", text: n };
    }
  }
  def(e) {
    let t = this.rules.block.def.exec(e);
    if (t) {
      if (!this.rules.other.startAngleBracket.test(t[2]) && Te(t[2], "()") !== -1) return;
      let n = W(t[1]), r = t[2] ? t[2].replace(this.rules.other.hrefBrackets, "$1").replace(this.rules.inline.anyPunctuation, "$1") : "", s = t[3] ? t[3].substring(1, t[3].length - 1).replace(this.rules.inline.anyPunctuation, "$1") : t[3];
      return { type: "def", tag: n, raw: C(t[0], `
`), href: r, title: s };
    }
  }
  table(e) {
    let t = this.rules.block.table.exec(e);
    if (!t || !this.rules.other.tableDelimiter.test(t[2])) return;
    let n = be(t[1]), r = t[2].replace(this.rules.other.tableAlignChars, "").split("|"), s = t[3]?.trim() ? t[3].replace(this.rules.other.tableRowBlankLine, "").split(`
`) : [], o = { type: "table", raw: C(t[0], `
`), header: [], align: [], rows: [] };
    if (n.length === r.length) {
      for (let i of r) this.rules.other.tableAlignRight.test(i) ? o.align.push("right") : this.rules.other.tableAlignCenter.test(i) ? o.align.push("center") : this.rules.other.tableAlignLeft.test(i) ? o.align.push("left") : o.align.push(null);
      for (let i = 0; i < n.length; i++) o.header.push({ text: n[i], tokens: this.lexer.inline(n[i]), header: true, align: o.align[i] });
      for (let i of s) o.rows.push(be(i, o.header.length).map((a, c) => ({ text: a, tokens: this.lexer.inline(a), header: false, align: o.align[c] })));
      return o;
    }
  }
  lheading(e) {
    let t = this.rules.block.lheading.exec(e);
    if (t) {
      let n = t[1].trim();
      return { type: "heading", raw: C(t[0], `
`), depth: t[2].charAt(0) === "=" ? 1 : 2, text: n, tokens: this.lexer.inline(n) };
    }
  }
  paragraph(e) {
    let t = this.rules.block.paragraph.exec(e);
    if (t) {
      let n = t[1].charAt(t[1].length - 1) === `
` ? t[1].slice(0, -1) : t[1];
      return { type: "paragraph", raw: t[0], text: n, tokens: this.lexer.inline(n) };
    }
  }
  text(e) {
    let t = this.rules.block.text.exec(e);
    if (t) return { type: "text", raw: t[0], text: t[0], tokens: this.lexer.inline(t[0]) };
  }
  escape(e) {
    if (e.charCodeAt(0) !== 92) return;
    let t = this.rules.inline.escape.exec(e);
    if (t) return { type: "escape", raw: t[0], text: t[1] };
  }
  tag(e) {
    if (e.charCodeAt(0) !== 60) return;
    let t = this.rules.inline.tag.exec(e);
    if (t) return !this.lexer.state.inLink && this.rules.other.startATag.test(t[0]) ? this.lexer.state.inLink = true : this.lexer.state.inLink && this.rules.other.endATag.test(t[0]) && (this.lexer.state.inLink = false), !this.lexer.state.inRawBlock && this.rules.other.startPreScriptTag.test(t[0]) ? this.lexer.state.inRawBlock = true : this.lexer.state.inRawBlock && this.rules.other.endPreScriptTag.test(t[0]) && (this.lexer.state.inRawBlock = false), { type: "html", raw: t[0], inLink: this.lexer.state.inLink, inRawBlock: this.lexer.state.inRawBlock, block: false, text: t[0] };
  }
  link(e) {
    if (this.lexer.state.linkParenPossible === false) return;
    let t = e.charCodeAt(0);
    if (t !== 91 && t !== 33) return;
    let n = this.rules.inline.link.exec(e);
    if (n) {
      let r = n[0].charAt(0) === "!" ? 2 : 1;
      if (!this.options.pedantic && Ze(e, n[1], r, this.rules)) return;
      let s = n[2].trim();
      if (!this.options.pedantic && this.rules.other.startAngleBracket.test(s)) {
        if (!this.rules.other.endAngleBracket.test(s)) return;
        let c = C(s.slice(0, -1), "\\");
        if ((s.length - c.length) % 2 === 0) return;
      } else {
        let c = Te(n[2], "()");
        if (c === -2) return;
        if (c > -1) {
          let d = (n[0].indexOf("!") === 0 ? 5 : 4) + n[1].length + c;
          n[2] = n[2].substring(0, c), n[0] = n[0].substring(0, d).trim(), n[3] = "";
        }
      }
      let o = C(n[0].slice(0, -1), "\\");
      if ((n[0].length - o.length) % 2 === 0) return;
      let i = n[2], a = "";
      if (this.options.pedantic) {
        let c = this.rules.other.pedanticHrefTitle.exec(i);
        c && (i = c[1], a = c[3]);
      } else a = n[3] ? n[3].slice(1, -1) : "";
      return i = i.trim(), this.rules.other.startAngleBracket.test(i) && (this.options.pedantic && !this.rules.other.endAngleBracket.test(s) ? i = i.slice(1) : i = i.slice(1, -1)), He(n, { href: i && i.replace(this.rules.inline.anyPunctuation, "$1"), title: a && a.replace(this.rules.inline.anyPunctuation, "$1") }, n[0], this.lexer, this.rules);
    }
  }
  reflink(e, t) {
    let n = e.charCodeAt(0);
    if (n !== 91 && n !== 33) return;
    let r;
    if ((r = this.rules.inline.reflink.exec(e)) || (r = this.rules.inline.nolink.exec(e))) {
      let s = r[0].charAt(0) === "!" ? 2 : 1;
      if (!this.options.pedantic && Ze(e, r[1], s, this.rules)) return;
      let o = t[W(r[2] || r[1])];
      if (!o) {
        let i = r[0].charAt(0);
        return { type: "text", raw: i, text: i };
      }
      return He(r, o, r[0], this.lexer, this.rules);
    }
  }
  emStrong(e, t, n = "") {
    let r = this.rules.inline.emStrongLDelim.exec(e);
    if (!r || !r[1] && !r[2] && !r[3] && !r[4]) return;
    let s = r[0][0], o = n === s, i = t.length - e.length, a = i;
    for (; !this.options.pedantic && a > 0 && t[a - 1] === s; ) a--;
    let c = [...t.slice(Math.max(0, a - 2), a)].at(-1) ?? "", u = c === "*" || c === "_" || !!this.rules.inline.punctuation.exec(c);
    a < i && (n = c);
    let d = a < i ? u : n === "*" || n === "_" || !!this.rules.inline.punctuation.exec(n);
    if (r[4] && n.match(this.rules.other.unicodeAlphaNumeric)) return;
    let h = r[1] || r[3] || "";
    if (!h || !n || d) {
      let p = [...r[0]].length - 1, k, m, b = p, f = 0, R = i - a + p, E = !this.options.pedantic && !!c.trim() && (!!h || s === "*" && !u);
      if (s !== "*" && s !== "_") return;
      let T = s === "*" ? this.rules.inline.emStrongRDelimAst : this.rules.inline.emStrongRDelimUnd, U = oe(this, t, s), H = t.length - e.length + p;
      if (U < H) return;
      t = t.slice(-1 * e.length + p);
      let K = U - H;
      for (T.lastIndex = 0; (r = T.exec(t)) !== null && !(r.index > K); ) {
        if (k = r[1] || r[2] || r[3] || r[4] || r[5] || r[6], !k) continue;
        if (m = [...k].length, r[3] || r[4]) {
          b += m;
          continue;
        } else if ((r[5] || r[6] || E) && R % 3 && !((R + m) % 3)) {
          if (o && (r[5] || r[6])) break;
          f += m;
          continue;
        }
        if (b -= m, b > 0) continue;
        m = Math.min(m, m + b + f);
        let re = [...r[0]][0].length, B = e.slice(0, p + r.index + re + m);
        if (Math.min(p, m) % 2) {
          let se = B.slice(1, -1);
          return { type: "em", raw: B, text: se, tokens: this.lexer.inlineTokens(se) };
        }
        let X = B.slice(2, -2);
        return { type: "strong", raw: B, text: X, tokens: this.lexer.inlineTokens(X) };
      }
    }
  }
  codespan(e) {
    if (e.charCodeAt(0) !== 96) return;
    let t = this.rules.inline.code.exec(e);
    if (t) {
      let n = t[2].replace(this.rules.other.newLineCharGlobal, " "), r = this.rules.other.nonSpaceChar.test(n), s = this.rules.other.startingSpaceChar.test(n) && this.rules.other.endingSpaceChar.test(n);
      return r && s && (n = n.substring(1, n.length - 1)), { type: "codespan", raw: t[0], text: n };
    }
  }
  br(e) {
    let t = e.charCodeAt(0);
    if (t !== 32 && t !== 92 && t !== 10) return;
    let n = this.rules.inline.br.exec(e);
    if (n) return { type: "br", raw: n[0] };
  }
  del(e, t, n = "") {
    if (e.charCodeAt(0) !== 126) return;
    let r = this.rules.inline.delLDelim.exec(e);
    if (!r) return;
    if (!(r[1] || "") || !n || this.rules.inline.punctuation.exec(n)) {
      let o = [...r[0]].length - 1, i, a, c = o, u = this.rules.inline.delRDelim, d = ae(this, t), h = t.length - e.length + o;
      if (d < h) return;
      t = t.slice(-1 * e.length + o);
      let p = d - h;
      for (u.lastIndex = 0; (r = u.exec(t)) !== null && !(r.index > p); ) {
        if (i = r[1] || r[2] || r[3] || r[4] || r[5] || r[6], !i || (a = [...i].length, a !== o)) continue;
        if (r[3] || r[4]) {
          c += a;
          continue;
        }
        if (c -= a, c > 0) continue;
        a = Math.min(a, a + c);
        let k = [...r[0]][0].length, m = e.slice(0, o + r.index + k + a), b = m.slice(o, -o);
        return { type: "del", raw: m, text: b, tokens: this.lexer.inlineTokens(b) };
      }
    }
  }
  autolink(e) {
    if (e.charCodeAt(0) !== 60) return;
    let t = this.rules.inline.autolink.exec(e);
    if (t) {
      let n, r;
      return t[2] === "@" ? (n = t[1], r = "mailto:" + n) : (n = t[1], r = n), { type: "link", raw: t[0], text: n, href: r, autolink: true, tokens: [{ type: "text", raw: n, text: n }] };
    }
  }
  url(e) {
    let t;
    if (t = this.rules.inline.url.exec(e)) {
      let n, r;
      if (t[2] === "@") n = t[0], r = "mailto:" + n;
      else {
        let s;
        do
          s = t[0], t[0] = this.rules.inline._backpedal.exec(t[0])?.[0] ?? "";
        while (s !== t[0]);
        n = t[0], t[1] === "www." ? r = "http://" + t[0] : r = t[0];
      }
      return { type: "link", raw: t[0], text: n, href: r, autolink: true, tokens: [{ type: "text", raw: n, text: n }] };
    }
  }
  inlineText(e) {
    let t = this.rules.inline.text.exec(e);
    if (t) {
      let n = this.lexer.state.inRawBlock;
      return { type: "text", raw: t[0], text: n ? t[0] : De(t[0]), escaped: n };
    }
  }
};
var w = class l {
  tokens;
  options;
  state;
  inlineQueue;
  tokenizer;
  constructor(e) {
    this.tokens = [], this.tokens.links = /* @__PURE__ */ Object.create(null), this.options = e || S, this.options.tokenizer = this.options.tokenizer || new _(), this.tokenizer = this.options.tokenizer, this.tokenizer.options = this.options, this.tokenizer.lexer = this, this.inlineQueue = [], this.state = { inLink: false, inRawBlock: false, linkEmitted: false, linkParenPossible: true, top: true };
    let t = { other: O, block: ee.normal, inline: F.normal };
    this.options.pedantic ? (t.block = ee.pedantic, t.inline = F.pedantic) : this.options.gfm && (t.block = ee.gfm, this.options.breaks ? t.inline = F.breaks : t.inline = F.gfm), this.tokenizer.rules = t;
  }
  static get rules() {
    return { block: ee, inline: F };
  }
  static lex(e, t) {
    return new l(t).lex(e);
  }
  static lexInline(e, t) {
    return new l(t).inlineTokens(e);
  }
  lex(e) {
    e = e.replace(O.carriageReturn, `
`), this.blockTokens(e, this.tokens);
    for (let t = 0; t < this.inlineQueue.length; t++) {
      let n = this.inlineQueue[t];
      this.state.inRawBlock = false, this.inlineTokens(n.src, n.tokens);
    }
    return this.inlineQueue = [], this.tokens;
  }
  blockTokens(e, t = [], n = false) {
    this.tokenizer.lexer = this;
    let r = this.state.lastToken;
    this.options.pedantic && (e = e.replace(O.tabCharGlobal, "    ").replace(O.spaceLine, ""));
    let s = 1 / 0, o, i = this.options.gfm && !this.options.pedantic && this.tokenizer.paragraph === _.prototype.paragraph;
    for (; e; ) {
      if (e.length < s) s = e.length;
      else {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
      this.state.lastToken = t.at(-1);
      let a;
      if (this.options.extensions?.block?.some((u) => (a = u.call({ lexer: this }, e, t)) ? (e = e.substring(a.raw.length), t.push(a), true) : false)) continue;
      if (a = this.tokenizer.space(e)) {
        e = e.substring(a.raw.length);
        let u = t.at(-1);
        a.raw.length === 1 && u !== void 0 ? u.raw += `
` : t.push(a);
        continue;
      }
      if (a = this.tokenizer.code(e)) {
        e = e.substring(a.raw.length);
        let u = t.at(-1);
        u?.type === "paragraph" || u?.type === "text" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a.raw, u.text += `
` + a.text, this.inlineQueue.at(-1).src = u.text) : t.push(a);
        continue;
      }
      if (a = this.tokenizer.fences(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      if (a = this.tokenizer.heading(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      if (a = this.tokenizer.hr(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      if (a = this.tokenizer.blockquote(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      if (a = this.tokenizer.list(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      if (a = this.tokenizer.html(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      if (a = this.tokenizer.def(e)) {
        e = e.substring(a.raw.length);
        let u = t.at(-1);
        u?.type === "paragraph" || u?.type === "text" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a.raw, u.text += `
` + a.raw, this.inlineQueue.at(-1).src = u.text) : (this.tokens.links[a.tag] || (this.tokens.links[a.tag] = { href: a.href, title: a.title }), t.push(a));
        continue;
      }
      if (a = this.tokenizer.table(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      if (a = this.tokenizer.lheading(e)) {
        e = e.substring(a.raw.length), t.push(a);
        continue;
      }
      let c = e;
      if (this.options.extensions?.startBlock) {
        let u = 1 / 0, d = e.slice(1), h;
        this.options.extensions.startBlock.forEach((p) => {
          h = p.call({ lexer: this }, d), typeof h == "number" && h >= 0 && (u = Math.min(u, h));
        }), u < 1 / 0 && u >= 0 && (c = e.substring(0, u + 1));
      }
      if (this.state.top && (a = this.tokenizer.paragraph(c))) {
        let u = t.at(-1);
        (n || u === o && i) && u?.type === "paragraph" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a.raw, u.text += `
` + a.text, this.inlineQueue.pop(), this.inlineQueue.at(-1).src = u.text, o = u) : (t.push(a), o = a), n = c.length !== e.length, e = e.substring(a.raw.length);
        continue;
      }
      if (a = this.tokenizer.text(e)) {
        e = e.substring(a.raw.length);
        let u = t.at(-1);
        u?.type === "text" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a.raw, u.text += `
` + a.text, this.inlineQueue.pop(), this.inlineQueue.at(-1).src = u.text) : t.push(a);
        continue;
      }
      if (e) {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
    }
    return this.state.top = true, this.state.lastToken = r, t;
  }
  inline(e, t = []) {
    return this.inlineQueue.push({ src: e, tokens: t }), t;
  }
  linkInText(e) {
    if (!e.includes("[")) return false;
    let t = this.tokenizer.rules.inline.link;
    for (let n of e.matchAll(this.tokenizer.rules.inline.blockSkip)) if (t.test(n[0]) && e.charAt(n.index - 1) !== "!") return true;
    for (let n of e.matchAll(this.tokenizer.rules.inline.reflinkSearch)) {
      let r = n[0], s = r.lastIndexOf("[");
      if (!(r.charAt(0) === "!" || !Object.hasOwn(this.tokens.links, W(r.slice(s + 1, -1)))) && !(s > 1 && this.linkInText(r.slice(1, s - 1)))) return true;
    }
    return false;
  }
  inlineTokens(e, t = []) {
    this.tokenizer.lexer = this;
    let n = this.state.linkParenPossible;
    this.state.linkParenPossible = e.includes(")");
    try {
      return this.#t(e, t);
    } finally {
      this.state.linkParenPossible = n;
    }
  }
  #t(e, t) {
    let n = e.includes("*") || e.includes("_") || e.includes("~"), r = n || this.options.hooks?.emStrongMask || this.tokenizer.emStrong !== _.prototype.emStrong || this.tokenizer.del !== _.prototype.del ? this.#r(e) : e;
    if (!n) return this.#e(e, r, t);
    qe(this.tokenizer, r);
    try {
      return this.#e(e, r, t);
    } finally {
      ve(this.tokenizer);
    }
  }
  #e(e, t, n) {
    let r = false, s = "", o = 1 / 0;
    for (; e; ) {
      if (e.length < o) o = e.length;
      else {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
      r || (s = ""), r = false;
      let i;
      if (this.options.extensions?.inline?.some((u) => (i = u.call({ lexer: this }, e, n)) ? (e = e.substring(i.raw.length), n.push(i), true) : false)) continue;
      if (i = this.tokenizer.escape(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.tag(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.link(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.reflink(e, this.tokens.links)) {
        e = e.substring(i.raw.length);
        let u = n.at(-1);
        i.type === "text" && u?.type === "text" ? (u.raw += i.raw, u.text += i.text) : n.push(i);
        continue;
      }
      let a = e[0];
      if (a === "*" || a === "_") {
        let u = t.length - e.length;
        if (oe(this.tokenizer, t, a) <= u) {
          let h = 1;
          for (; h < e.length && e.charCodeAt(h) === a.charCodeAt(0); ) h++;
          let p = e.substring(0, h), k = n.at(-1);
          k?.type === "text" && !k.escaped ? (k.raw += p, k.text += p) : n.push({ type: "text", raw: p, text: p, escaped: false }), e = e.substring(h), s = a, r = true;
          continue;
        }
      } else if (a === "~") {
        let u = t.length - e.length;
        if (ae(this.tokenizer, t) <= u) {
          let h = 1;
          for (; h < e.length && e.charCodeAt(h) === 126; ) h++;
          let p = e.substring(0, h), k = n.at(-1);
          k?.type === "text" && !k.escaped ? (k.raw += p, k.text += p) : n.push({ type: "text", raw: p, text: p, escaped: false }), e = e.substring(h), s = a, r = true;
          continue;
        }
      }
      if (i = this.tokenizer.emStrong(e, t, s)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.codespan(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.br(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.del(e, t, s)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.autolink(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (!this.state.inLink && (i = this.tokenizer.url(e))) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      let c = e;
      if (this.options.extensions?.startInline) {
        let u = 1 / 0, d = e.slice(1), h;
        this.options.extensions.startInline.forEach((p) => {
          h = p.call({ lexer: this }, d), typeof h == "number" && h >= 0 && (u = Math.min(u, h));
        }), u < 1 / 0 && u >= 0 && (c = e.substring(0, u + 1));
      }
      if (i = this.tokenizer.inlineText(c)) {
        e = e.substring(i.raw.length), i.raw.slice(-1) !== "_" && (s = i.raw.slice(-1)), r = true;
        let u = n.at(-1);
        u?.type === "text" ? (u.raw += i.raw, u.text += i.text) : n.push(i);
        continue;
      }
      if (e) {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
    }
    return n;
  }
  #n(e) {
    let { blockSkip: t, tag: n, autolink: r } = this.tokenizer.rules.inline, s = "", o = 0, i;
    for (t.lastIndex = 0; i = t.exec(e); ) {
      let a = i.index + (i[2] ? i[2].length : 0), c = i.index + i[0].length;
      if (e.charAt(a) === "<") {
        let u = e.slice(a), d = n.exec(u) || r.exec(u);
        if (!d) {
          t.lastIndex = a + 1;
          continue;
        }
        c = a + d[0].length, t.lastIndex = c;
      }
      s += e.slice(o, a) + "[" + "a".repeat(c - a - 2) + "]", o = c;
    }
    return s + e.slice(o);
  }
  #r(e) {
    let t = e;
    if (this.tokens.links && e.includes("[")) {
      let n = this.tokenizer.rules.inline.reflinkSearch, r = (s) => {
        let o = s.lastIndexOf("[");
        if (!Object.hasOwn(this.tokens.links, W(s.slice(o + 1, -1)))) return s;
        if (o > 1 && s.charAt(0) !== "!") {
          let i = s.slice(1, o - 1);
          if (this.linkInText(i)) return "[" + i.replace(n, r) + "][" + "a".repeat(s.length - o - 2) + "]";
        }
        return "[" + "a".repeat(s.length - 2) + "]";
      };
      t = t.replace(n, r);
    }
    return t = t.replace(this.tokenizer.rules.inline.anyPunctuationOutsideCode, (n, r, s) => s ? "+".repeat(n.length) : r ? r + n.slice(r.length, -r.length).replace(/`/g, "+") + r : n), t = this.#n(t), t = this.options.hooks?.emStrongMask?.call({ lexer: this }, t) ?? t, t;
  }
  infiniteLoopError(e) {
    let t = "Infinite loop on byte: " + e;
    if (this.options.silent) console.error(t);
    else throw new Error(t);
  }
};
var I = class {
  options;
  parser;
  constructor(e) {
    this.options = e || S;
  }
  space(e) {
    return "";
  }
  code({ text: e, lang: t, escaped: n }) {
    let r = (t || "").match(O.notSpaceStart)?.[0], s = e ? e.replace(O.endingNewline, "") + `
` : "";
    return r ? '<pre><code class="language-' + y(r) + '">' + (n ? s : y(s, true)) + `</code></pre>
` : "<pre><code>" + (n ? s : y(s, true)) + `</code></pre>
`;
  }
  blockquote({ tokens: e }) {
    return `<blockquote>
${this.parser.parse(e)}</blockquote>
`;
  }
  html({ text: e }) {
    return e;
  }
  def(e) {
    return "";
  }
  heading({ tokens: e, depth: t }) {
    return `<h${t}>${this.parser.parseInline(e)}</h${t}>
`;
  }
  hr(e) {
    return `<hr>
`;
  }
  list(e) {
    let t = e.ordered, n = e.start, r = "";
    for (let i = 0; i < e.items.length; i++) {
      let a = e.items[i];
      r += this.listitem(a);
    }
    let s = t ? "ol" : "ul", o = t && n !== 1 ? ' start="' + n + '"' : "";
    return "<" + s + o + `>
` + r + "</" + s + `>
`;
  }
  listitem(e) {
    return `<li>${this.parser.parse(e.tokens)}</li>
`;
  }
  checkbox({ checked: e }) {
    return "<input " + (e ? 'checked="" ' : "") + 'disabled="" type="checkbox"> ';
  }
  paragraph({ tokens: e }) {
    return `<p>${this.parser.parseInline(e)}</p>
`;
  }
  table(e) {
    let t = "", n = "";
    for (let s = 0; s < e.header.length; s++) n += this.tablecell(e.header[s]);
    t += this.tablerow({ text: n });
    let r = "";
    for (let s = 0; s < e.rows.length; s++) {
      let o = e.rows[s];
      n = "";
      for (let i = 0; i < o.length; i++) n += this.tablecell(o[i]);
      r += this.tablerow({ text: n });
    }
    return r && (r = `<tbody>${r}</tbody>`), `<table>
<thead>
` + t + `</thead>
` + r + `</table>
`;
  }
  tablerow({ text: e }) {
    return `<tr>
${e}</tr>
`;
  }
  tablecell(e) {
    let t = this.parser.parseInline(e.tokens), n = e.header ? "th" : "td";
    return (e.align ? `<${n} align="${e.align}">` : `<${n}>`) + t + `</${n}>
`;
  }
  strong({ tokens: e }) {
    return `<strong>${this.parser.parseInline(e)}</strong>`;
  }
  em({ tokens: e }) {
    return `<em>${this.parser.parseInline(e)}</em>`;
  }
  codespan({ text: e }) {
    return `<code>${y(e, true)}</code>`;
  }
  br(e) {
    return "<br>";
  }
  del({ tokens: e }) {
    return `<del>${this.parser.parseInline(e)}</del>`;
  }
  link({ href: e, title: t, text: n, tokens: r, autolink: s }) {
    let o = s ? y(n, true) : this.parser.parseInline(r), i = xe(e);
    if (i === null) return o;
    e = y(i, s);
    let a = '<a href="' + e + '"';
    return t && (a += ' title="' + y(t) + '"'), a += ">" + o + "</a>", a;
  }
  image({ href: e, title: t, text: n, tokens: r }) {
    r && (n = this.parser.parseInline(r, this.parser.textRenderer));
    let s = xe(e);
    if (s === null) return y(n);
    e = s;
    let o = `<img src="${y(e)}" alt="${y(n)}"`;
    return t && (o += ` title="${y(t)}"`), o += ">", o;
  }
  text(e) {
    return "tokens" in e && e.tokens ? this.parser.parseInline(e.tokens) : "escaped" in e && e.escaped ? e.text : y(e.text);
  }
};
var z = class {
  parser;
  strong({ text: e, tokens: t }) {
    return t ? this.parser.parseInline(t, this) : e;
  }
  em({ text: e, tokens: t }) {
    return t ? this.parser.parseInline(t, this) : e;
  }
  codespan({ text: e }) {
    return e;
  }
  del({ text: e, tokens: t }) {
    return t ? this.parser.parseInline(t, this) : e;
  }
  html({ text: e }) {
    return e;
  }
  text({ text: e }) {
    return e;
  }
  link({ text: e, tokens: t }) {
    return t ? this.parser.parseInline(t, this) : e;
  }
  image({ text: e, tokens: t }) {
    return t ? this.parser.parseInline(t, this) : e;
  }
  br() {
    return `
`;
  }
  checkbox({ raw: e }) {
    return e;
  }
};
var P = class l2 {
  options;
  renderer;
  textRenderer;
  constructor(e) {
    this.options = e || S, this.options.renderer = this.options.renderer || new I(), this.renderer = this.options.renderer, this.renderer.options = this.options, this.renderer.parser = this, this.textRenderer = new z(), this.textRenderer.parser = this;
  }
  static parse(e, t) {
    return new l2(t).parse(e);
  }
  static parseInline(e, t) {
    return new l2(t).parseInline(e);
  }
  parse(e) {
    this.renderer.parser = this;
    let t = "";
    for (let n = 0; n < e.length; n++) {
      let r = e[n];
      if (this.options.extensions?.renderers?.[r.type]) {
        let o = r, i = this.options.extensions.renderers[o.type].call({ parser: this }, o);
        if (i !== false || !["space", "hr", "heading", "code", "table", "blockquote", "list", "checkbox", "html", "def", "paragraph", "text"].includes(o.type)) {
          t += i === false ? "" : i ?? "";
          continue;
        }
      }
      let s = r;
      switch (s.type) {
        case "space": {
          t += this.renderer.space(s);
          break;
        }
        case "hr": {
          t += this.renderer.hr(s);
          break;
        }
        case "heading": {
          t += this.renderer.heading(s);
          break;
        }
        case "code": {
          t += this.renderer.code(s);
          break;
        }
        case "table": {
          t += this.renderer.table(s);
          break;
        }
        case "blockquote": {
          t += this.renderer.blockquote(s);
          break;
        }
        case "list": {
          t += this.renderer.list(s);
          break;
        }
        case "checkbox": {
          t += this.renderer.checkbox(s);
          break;
        }
        case "html": {
          t += this.renderer.html(s);
          break;
        }
        case "def": {
          t += this.renderer.def(s);
          break;
        }
        case "paragraph": {
          t += this.renderer.paragraph(s);
          break;
        }
        case "text": {
          t += this.renderer.text(s);
          break;
        }
        default: {
          let o = 'Token with "' + s.type + '" type was not found.';
          if (this.options.silent) return console.error(o), "";
          throw new Error(o);
        }
      }
    }
    return t;
  }
  parseInline(e, t = this.renderer) {
    this.renderer.parser = this;
    let n = "";
    for (let r = 0; r < e.length; r++) {
      let s = e[r];
      if (this.options.extensions?.renderers?.[s.type]) {
        let i = this.options.extensions.renderers[s.type].call({ parser: this }, s);
        if (i !== false || !["escape", "html", "link", "image", "checkbox", "strong", "em", "codespan", "br", "del", "text"].includes(s.type)) {
          n += i === false ? "" : i ?? "";
          continue;
        }
      }
      let o = s;
      switch (o.type) {
        case "escape": {
          n += t.text(o);
          break;
        }
        case "html": {
          n += t.html(o);
          break;
        }
        case "link": {
          n += t.link(o);
          break;
        }
        case "image": {
          n += t.image(o);
          break;
        }
        case "checkbox": {
          n += t.checkbox(o);
          break;
        }
        case "strong": {
          n += t.strong(o);
          break;
        }
        case "em": {
          n += t.em(o);
          break;
        }
        case "codespan": {
          n += t.codespan(o);
          break;
        }
        case "br": {
          n += t.br(o);
          break;
        }
        case "del": {
          n += t.del(o);
          break;
        }
        case "text": {
          n += t.text(o);
          break;
        }
        default: {
          let i = 'Token with "' + o.type + '" type was not found.';
          if (this.options.silent) return console.error(i), "";
          throw new Error(i);
        }
      }
    }
    return n;
  }
};
var A = class {
  options;
  block;
  constructor(e) {
    this.options = e || S;
  }
  static passThroughHooks = /* @__PURE__ */ new Set(["preprocess", "postprocess", "processAllTokens", "emStrongMask"]);
  static passThroughHooksRespectAsync = /* @__PURE__ */ new Set(["preprocess", "postprocess", "processAllTokens"]);
  preprocess(e) {
    return e;
  }
  postprocess(e) {
    return e;
  }
  processAllTokens(e) {
    return e;
  }
  emStrongMask(e) {
    return e;
  }
  provideLexer(e = this.block) {
    return e ? w.lex : w.lexInline;
  }
  provideParser(e = this.block) {
    return e ? P.parse : P.parseInline;
  }
};
function M(l3, e) {
  if (Array.isArray(e)) for (let t = 0; t < e.length; t++) l3.push(e[t]);
  else l3.push(e);
}
var ne = class {
  defaults = G();
  options = this.setOptions;
  parse = this.parseMarkdown(true);
  parseInline = this.parseMarkdown(false);
  Parser = P;
  Renderer = I;
  TextRenderer = z;
  Lexer = w;
  Tokenizer = _;
  Hooks = A;
  constructor(...e) {
    this.use(...e);
  }
  walkTokens(e, t) {
    let n = [];
    for (let r of e) switch (M(n, t.call(this, r)), r.type) {
      case "table": {
        let s = r;
        for (let o of s.header) M(n, this.walkTokens(o.tokens, t));
        for (let o of s.rows) for (let i of o) M(n, this.walkTokens(i.tokens, t));
        break;
      }
      case "list": {
        let s = r;
        M(n, this.walkTokens(s.items, t));
        break;
      }
      default: {
        let s = r;
        this.defaults.extensions?.childTokens?.[s.type] ? this.defaults.extensions.childTokens[s.type].forEach((o) => {
          let i = s[o].flat(1 / 0);
          M(n, this.walkTokens(i, t));
        }) : s.tokens && M(n, this.walkTokens(s.tokens, t));
      }
    }
    return n;
  }
  use(...e) {
    let t = this.defaults.extensions || { renderers: /* @__PURE__ */ Object.create(null), childTokens: /* @__PURE__ */ Object.create(null) };
    return e.forEach((n) => {
      let r = { ...n };
      if (r.async = this.defaults.async || r.async || false, n.extensions && (n.extensions.forEach((s) => {
        if (!s.name) throw new Error("extension name required");
        if ("renderer" in s) {
          let o = t.renderers[s.name];
          o ? t.renderers[s.name] = function(...i) {
            let a = s.renderer.apply(this, i);
            return a === false && (a = o.apply(this, i)), a;
          } : t.renderers[s.name] = s.renderer;
        }
        if ("tokenizer" in s) {
          if (!s.level || s.level !== "block" && s.level !== "inline") throw new Error("extension level must be 'block' or 'inline'");
          let o = t[s.level];
          o ? o.unshift(s.tokenizer) : t[s.level] = [s.tokenizer], s.start && (s.level === "block" ? t.startBlock ? t.startBlock.push(s.start) : t.startBlock = [s.start] : s.level === "inline" && (t.startInline ? t.startInline.push(s.start) : t.startInline = [s.start]));
        }
        "childTokens" in s && s.childTokens && (t.childTokens[s.name] = s.childTokens);
      }), r.extensions = t), n.renderer) {
        let s = this.defaults.renderer || new I(this.defaults);
        for (let o in n.renderer) {
          if (!(o in s)) throw new Error(`renderer '${o}' does not exist`);
          if (["options", "parser"].includes(o)) continue;
          let i = o, a = n.renderer[i], c = s[i];
          s[i] = (...u) => {
            let d = a.apply(s, u);
            return d === false && (d = c.apply(s, u)), d === false ? "" : d ?? "";
          };
        }
        r.renderer = s;
      }
      if (n.tokenizer) {
        let s = this.defaults.tokenizer || new _(this.defaults);
        for (let o in n.tokenizer) {
          if (!(o in s)) throw new Error(`tokenizer '${o}' does not exist`);
          if (["options", "rules", "lexer"].includes(o)) continue;
          let i = o, a = n.tokenizer[i], c = s[i];
          s[i] = (...u) => {
            let d = a.apply(s, u);
            return d === false && (d = c.apply(s, u)), d;
          };
        }
        r.tokenizer = s;
      }
      if (n.hooks) {
        let s = this.defaults.hooks || new A();
        for (let o in n.hooks) {
          if (!(o in s)) throw new Error(`hook '${o}' does not exist`);
          if (["options", "block"].includes(o)) continue;
          let i = o, a = n.hooks[i], c = s[i];
          A.passThroughHooks.has(o) ? s[i] = (u) => {
            if (s.options.async && A.passThroughHooksRespectAsync.has(o)) return (async () => {
              let h = await a.call(s, u);
              return c.call(s, h);
            })();
            let d = a.call(s, u);
            return c.call(s, d);
          } : s[i] = (...u) => {
            if (s.options.async) return (async () => {
              let h = await a.apply(s, u);
              return h === false && (h = await c.apply(s, u)), h;
            })();
            let d = a.apply(s, u);
            return d === false && (d = c.apply(s, u)), d;
          };
        }
        r.hooks = s;
      }
      if (n.walkTokens) {
        let s = this.defaults.walkTokens, o = n.walkTokens;
        r.walkTokens = function(i) {
          let a = [];
          return M(a, o.call(this, i)), s && M(a, s.call(this, i)), a;
        };
      }
      this.defaults = { ...this.defaults, ...r };
    }), this;
  }
  setOptions(e) {
    return this.defaults = { ...this.defaults, ...e }, this;
  }
  lexer(e, t) {
    return w.lex(e, t ?? this.defaults);
  }
  parser(e, t) {
    return P.parse(e, t ?? this.defaults);
  }
  parseMarkdown(e) {
    return (n, r) => {
      let s = { ...r }, o = { ...this.defaults, ...s }, i = this.onError(!!o.silent, !!o.async);
      if (this.defaults.async === true && s.async === false) return i(new Error("marked(): The async option was set to true by an extension. Remove async: false from the parse options object to return a Promise."));
      if (typeof n > "u" || n === null) return i(new Error("marked(): input parameter is undefined or null"));
      if (typeof n != "string") return i(new Error("marked(): input parameter is of type " + Object.prototype.toString.call(n) + ", string expected"));
      if (o.hooks && (o.hooks.options = o, o.hooks.block = e), o.async) return (async () => {
        let a = o.hooks ? await o.hooks.preprocess(n) : n, u = await (o.hooks ? await o.hooks.provideLexer(e) : e ? w.lex : w.lexInline)(a, o), d = o.hooks ? await o.hooks.processAllTokens(u) : u;
        o.walkTokens && await Promise.all(this.walkTokens(d, o.walkTokens));
        let p = await (o.hooks ? await o.hooks.provideParser(e) : e ? P.parse : P.parseInline)(d, o);
        return o.hooks ? await o.hooks.postprocess(p) : p;
      })().catch(i);
      try {
        o.hooks && (n = o.hooks.preprocess(n));
        let c = (o.hooks ? o.hooks.provideLexer(e) : e ? w.lex : w.lexInline)(n, o);
        o.hooks && (c = o.hooks.processAllTokens(c)), o.walkTokens && this.walkTokens(c, o.walkTokens);
        let d = (o.hooks ? o.hooks.provideParser(e) : e ? P.parse : P.parseInline)(c, o);
        return o.hooks && (d = o.hooks.postprocess(d)), d;
      } catch (a) {
        return i(a);
      }
    };
  }
  onError(e, t) {
    return (n) => {
      if (n.message += `
Please report this to https://github.com/markedjs/marked.`, e) {
        let r = "<p>An error occurred:</p><pre>" + y(n.message + "", true) + "</pre>";
        return t ? Promise.resolve(r) : r;
      }
      if (t) return Promise.reject(n);
      throw n;
    };
  }
};
var v = new ne();
function x(l3, e) {
  return v.parse(l3, e);
}
x.options = x.setOptions = function(l3) {
  return v.setOptions(l3), x.defaults = v.defaults, ue(x.defaults), x;
};
x.getDefaults = G;
x.defaults = S;
function jt(...l3) {
  return v.use(...l3), x.defaults = v.defaults, ue(x.defaults), x;
}
x.use = jt;
x.walkTokens = function(l3, e) {
  return v.walkTokens(l3, e);
};
x.parseInline = v.parseInline;
x.Parser = P;
x.parser = P.parse;
x.Renderer = I;
x.TextRenderer = z;
x.Lexer = w;
x.lexer = w.lex;
x.Tokenizer = _;
x.Hooks = A;
x.parse = x;
var En = x.options;
var zn = x.setOptions;
var Mn = x.walkTokens;
var Bn = x.parseInline;
var qn = P.parse;
var vn = w.lex;

// node_modules/markdown-table/index.js
function defaultStringLength(value) {
  return value.length;
}
function markdownTable(table2, options) {
  const settings = options || {};
  const align = (settings.align || []).concat();
  const stringLength = settings.stringLength || defaultStringLength;
  const alignments = [];
  const cellMatrix = [];
  const sizeMatrix = [];
  const longestCellByColumn = [];
  let mostCellsPerRow = 0;
  let rowIndex = -1;
  while (++rowIndex < table2.length) {
    const row2 = [];
    const sizes2 = [];
    let columnIndex2 = -1;
    if (table2[rowIndex].length > mostCellsPerRow) {
      mostCellsPerRow = table2[rowIndex].length;
    }
    while (++columnIndex2 < table2[rowIndex].length) {
      const cell = serialize(table2[rowIndex][columnIndex2]);
      if (settings.alignDelimiters !== false) {
        const size = stringLength(cell);
        sizes2[columnIndex2] = size;
        if (longestCellByColumn[columnIndex2] === void 0 || size > longestCellByColumn[columnIndex2]) {
          longestCellByColumn[columnIndex2] = size;
        }
      }
      row2.push(cell);
    }
    cellMatrix[rowIndex] = row2;
    sizeMatrix[rowIndex] = sizes2;
  }
  let columnIndex = -1;
  if (typeof align === "object" && "length" in align) {
    while (++columnIndex < mostCellsPerRow) {
      alignments[columnIndex] = toAlignment(align[columnIndex]);
    }
  } else {
    const code = toAlignment(align);
    while (++columnIndex < mostCellsPerRow) {
      alignments[columnIndex] = code;
    }
  }
  columnIndex = -1;
  const row = [];
  const sizes = [];
  while (++columnIndex < mostCellsPerRow) {
    const code = alignments[columnIndex];
    let before = "";
    let after = "";
    if (code === 99) {
      before = ":";
      after = ":";
    } else if (code === 108) {
      before = ":";
    } else if (code === 114) {
      after = ":";
    }
    let size = settings.alignDelimiters === false ? 1 : Math.max(
      1,
      longestCellByColumn[columnIndex] - before.length - after.length
    );
    const cell = before + "-".repeat(size) + after;
    if (settings.alignDelimiters !== false) {
      size = before.length + size + after.length;
      if (size > longestCellByColumn[columnIndex]) {
        longestCellByColumn[columnIndex] = size;
      }
      sizes[columnIndex] = size;
    }
    row[columnIndex] = cell;
  }
  cellMatrix.splice(1, 0, row);
  sizeMatrix.splice(1, 0, sizes);
  rowIndex = -1;
  const lines = [];
  while (++rowIndex < cellMatrix.length) {
    const row2 = cellMatrix[rowIndex];
    const sizes2 = sizeMatrix[rowIndex];
    columnIndex = -1;
    const line = [];
    while (++columnIndex < mostCellsPerRow) {
      const cell = row2[columnIndex] || "";
      let before = "";
      let after = "";
      if (settings.alignDelimiters !== false) {
        const size = longestCellByColumn[columnIndex] - (sizes2[columnIndex] || 0);
        const code = alignments[columnIndex];
        if (code === 114) {
          before = " ".repeat(size);
        } else if (code === 99) {
          if (size % 2) {
            before = " ".repeat(size / 2 + 0.5);
            after = " ".repeat(size / 2 - 0.5);
          } else {
            before = " ".repeat(size / 2);
            after = before;
          }
        } else {
          after = " ".repeat(size);
        }
      }
      if (settings.delimiterStart !== false && !columnIndex) {
        line.push("|");
      }
      if (settings.padding !== false && // Don’t add the opening space if we’re not aligning and the cell is
      // empty: there will be a closing space.
      !(settings.alignDelimiters === false && cell === "") && (settings.delimiterStart !== false || columnIndex)) {
        line.push(" ");
      }
      if (settings.alignDelimiters !== false) {
        line.push(before);
      }
      line.push(cell);
      if (settings.alignDelimiters !== false) {
        line.push(after);
      }
      if (settings.padding !== false) {
        line.push(" ");
      }
      if (settings.delimiterEnd !== false || columnIndex !== mostCellsPerRow - 1) {
        line.push("|");
      }
    }
    lines.push(
      settings.delimiterEnd === false ? line.join("").replace(/ +$/, "") : line.join("")
    );
  }
  return lines.join("\n");
}
function serialize(value) {
  return value === null || value === void 0 ? "" : String(value);
}
function toAlignment(value) {
  const code = typeof value === "string" ? value.codePointAt(0) : 0;
  return code === 67 || code === 99 ? 99 : code === 76 || code === 108 ? 108 : code === 82 || code === 114 ? 114 : 0;
}

// scripts/src/report/details.ts
function fold(summary, body) {
  const inner = body.filter((block) => block !== "").join("\n\n");
  return inner === "" ? "" : `<details><summary>${summary}</summary>

${inner}

</details>`;
}
function detailParts(input) {
  return [
    { name: "work per request", text: fold("Per request: queries, connections, bytes", perRequest(input)) },
    {
      name: "all numbers",
      text: fold("All numbers: averages, percentiles, CPU, memory, errors", [allNumbers(input)])
    },
    { name: "conditions", text: fold(conditionsTitle(input), conditions(input)) },
    { name: "rounds and time", text: fold("How it was measured: rounds, struck slots, time", measurement(input)) },
    { name: "how to read this", text: fold("How to read this", [HOW_TO_READ]) }
  ];
}
var HOW_TO_READ = [
  "- A **cell** is a scenario at one load level. Base and head are measured in turn, a few seconds each, on the same cores; one turn of both is a **round**.",
  "- **change** is head against base; **between** is the interval that the data allow. A cell is red when all of its interval is beyond the allowed line, green when all of it is within, undecided when the line runs through it.",
  "- **p99**: 99 of 100 requests were faster. At high load it mostly restates QPS.",
  "- A slot that something from outside disturbed is struck, by its cause and never by its result, and its round is measured again.",
  "- Counts per request have no noise: where a count is the same in every repeat, a difference is a fact."
].join("\n");
function perRequest({ comparison, census }) {
  if (census === null) return ["The census was not taken."];
  const counts = COUNTS.filter(
    (count) => census.scenarios.some((entry) => ARMS.some((arm) => entry.arms[arm].counts[count]))
  );
  const changed = new Set(comparison.census.map((difference) => `${difference.count} ${difference.scenario}`));
  const exceeded = new Set(
    comparison.census.filter((entry) => entry.exceeded).map((entry) => `${entry.count} ${entry.scenario}`)
  );
  const title = {
    sqlStatements: "SQL statements",
    dbConnections: "new MySQL connections",
    redisCommands: "Redis commands",
    responseBytes: "bytes"
  };
  const header = ["scenario", "status", ...counts.map((count) => title[count]), "CPU ms"];
  const last = new Map(comparison.cells.map((result) => [result.cell.scenario, result]));
  const rows = census.scenarios.map(({ scenario, arms }) => {
    const status = (arm) => arms[arm].statuses.map((code) => code === 0 ? "no answer" : String(code)).join(", ") || ABSENT;
    const statuses = status("base") === status("head") ? status("base") : `**${status("base")} → ${status("head")}**`;
    const cells = counts.map((count) => {
      const [base, head] = [countText(arms.base.counts[count]), countText(arms.head.counts[count])];
      if (base === "" && head === "") return ABSENT;
      const text = `${base || ABSENT} → ${head || ABSENT}`;
      const key = `${count} ${scenario}`;
      return exceeded.has(key) ? `**${text}** (more than allowed)` : changed.has(key) ? `**${text}**` : text;
    });
    return [escapeMarkdown(scenario), statuses, ...cells, cpuOf(last.get(scenario))];
  });
  const note = `Base → head, from ${plural(census.repeats, "repeat")} of ${plural(census.requestsPerRepeat, "request")} sent one at a time before the load. A single number came out the same every time; others are means with their range. CPU ms is measured under load, at the highest level.`;
  const align = ["l", "l", ...counts.map(() => "r"), "r"];
  return [markdownTable([header, ...rows], { align }), note];
}
function cpuOf(result) {
  const value = (arm) => result?.figures[arm]?.cpuMsPerRequest;
  return value("base") == null && value("head") == null ? ABSENT : `${ms(value("base"))} → ${ms(value("head"))}`;
}
function allNumbers({ comparison, plan, environment }) {
  const { target } = plan.layout;
  const resources = target.length === 0 ? ABSENT : `${plural(target.length, "core")}`;
  const runtime = {
    base: runtimeOf(environment?.php.base),
    head: runtimeOf(environment?.php.head)
  };
  const header = [
    "scenario",
    "load",
    "connection",
    "arm",
    "QPS",
    "avg",
    "p50",
    "p90",
    "p95",
    "p99",
    "max",
    "CPU peak",
    "CPU ms/request",
    "memory",
    "requests",
    "errors",
    "resources",
    "runtime"
  ];
  const rows = comparison.cells.flatMap(
    (result) => ARMS.map((arm) => {
      const figures2 = result.figures[arm];
      const latency = figures2?.latencyMs;
      const failures = figures2 === null ? ABSENT : failureText(figures2.errors, figures2.failedChecks);
      return [
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        result.connection,
        arm,
        qps(figures2?.qps),
        ...[latency?.avg, latency?.p50, latency?.p90, latency?.p95, latency?.p99, figures2?.maxMs].map(ms),
        significant(figures2?.cpuPeakCores),
        ms(figures2?.cpuMsPerRequest),
        bytes(figures2?.memoryBytes),
        decimal(figures2?.requests),
        failures,
        resources,
        runtime[arm]
      ];
    })
  );
  const align = header.map((title) => /^(scenario|connection|arm|resources|runtime)$/.test(title) ? "l" : "r");
  const note = "Medians over the clean slots; max is the largest of all of them, requests and errors are sums. Latencies in ms, CPU peak in cores over 1 s.";
  return rows.length === 0 ? "" : `${markdownTable([header, ...rows], { align, alignDelimiters: false })}

${note}`;
}
function failureText(errors, failedChecks) {
  return failedChecks > 0 ? `${decimal(errors)} + ${decimal(failedChecks)} failed checks` : decimal(errors);
}
function runtimeOf(php) {
  if (php == null) return ABSENT;
  const jit = php.jit === "disable" || php.jit === "off" ? "off" : escapeMarkdown(php.jit);
  const xdebug = php.xdebug ? ", Xdebug on" : "";
  return `PHP ${escapeMarkdown(php.version)} ${escapeMarkdown(php.processManager)} ${php.workers}, OPcache ${php.opcache ? "on" : "off"}, JIT ${jit}${xdebug}`;
}
function conditionsTitle({ environment, plan }) {
  if (environment === null) return "Conditions";
  const { machine, tools, php } = environment;
  const parts = [`${machine.logicalCpus} × ${escapeMarkdown(machine.cpuModel)}`];
  const runtime = runtimeOf(php.head ?? php.base);
  if (runtime !== ABSENT) parts.push(runtime);
  if (tools["mysql"] !== void 0) parts.push(`MySQL ${escapeMarkdown(tools["mysql"])}`);
  if (tools["k6"] !== void 0) parts.push(`k6 ${escapeMarkdown(tools["k6"])}`);
  return `Conditions: ${parts.join(", ")}${plan.layout.isolated ? "" : ", k6 shares cores with the service"}`;
}
function conditions({ comparison, plan, environment }) {
  const arms = ARMS.map((arm) => {
    const { label, commit } = comparison.arms[arm];
    const php = environment?.php[arm];
    const extensions = php == null || php.extensions.length === 0 ? ABSENT : php.extensions.map(escapeMarkdown).join(", ");
    return [
      arm,
      escapeMarkdown(label),
      commit === null ? ABSENT : escapeMarkdown(commit.slice(0, 12)),
      runtimeOf(php),
      php == null ? ABSENT : bytes(php.jitBufferBytes),
      extensions
    ];
  });
  const header = ["arm", "source", "commit", "runtime", "JIT buffer", "extensions"];
  const blocks = [markdownTable([header, ...arms])];
  if (comparison.sameSource) blocks.push("Both arms are the same source: an A/A run.");
  const facts = [];
  if (environment !== null) {
    const { machine, tools } = environment;
    facts.push(
      [
        "machine",
        `${machine.logicalCpus} logical CPUs on ${plural(machine.physicalCores, "core")}, ${escapeMarkdown(machine.cpuModel)}, ${bytes(machine.memoryBytes)}`
      ],
      ["system", `${escapeMarkdown(machine.os)}, kernel ${escapeMarkdown(machine.kernel)}, cgroup ${machine.cgroup}`],
      [
        "tools",
        Object.entries(tools).map(([tool, version]) => `${escapeMarkdown(tool)} ${escapeMarkdown(version)}`).join(", ")
      ],
      ["started", escapeMarkdown(environment.startedAt)]
    );
  }
  facts.push(
    ["layout", escapeMarkdown(plan.layout.note)],
    ["driver", plan.driver],
    ["plan", escapeMarkdown(plan.id.slice(0, 12))],
    ["seed", String(plan.seed)]
  );
  blocks.push(markdownTable([["", ""], ...facts]));
  return blocks;
}
function measurement(input) {
  const { comparison } = input;
  return [
    stopSentence(input),
    reasons(ownReasons(comparison)),
    roundsTable(input),
    cellReasons(input),
    strikes(input),
    times(input),
    yardstick(input),
    notes(input),
    damaged(comparison.damaged)
  ];
}
function stopSentence({ comparison }) {
  const { stop } = comparison;
  if (stop === null) return "The record of the run has no end: it was cut off, or it is still going on.";
  const why = {
    decided: "Measuring stopped because everything was decided",
    cap: "Measuring stopped at the largest number of rounds",
    budget: "Measuring stopped because the budget was spent",
    interrupted: "Measuring was interrupted",
    failed: "Measuring failed"
  };
  const detail = stop.detail === null ? "" : ` (${escapeMarkdown(stop.detail)})`;
  return `${why[stop.reason]}${detail}, after ${plural(comparison.blocks, "block")} and ${plural(comparison.slots, "slot")}.`;
}
function reasons(list2) {
  return list2.map((reason) => `- ${sentence(escapeMarkdown(reason.text))}`).join("\n");
}
function roundsTable({ comparison }) {
  const header = ["scenario", "load", "clean rounds", "slots", "struck", "p", "confirmation"];
  const rows = comparison.cells.map((result) => {
    const confirmations = new Set(result.tests.map((test) => confirmationPhrase(test.confirmation)));
    const p = result.tests.filter((test) => test.p !== null);
    return [
      escapeMarkdown(result.cell.scenario),
      loadLabel(result),
      decimal(result.rounds),
      decimal(result.slots),
      decimal(Object.values(result.struck).reduce((sum, count) => sum + count, 0)),
      p.map((test) => `${labelOf(test.metric, test.statistic)} ${pText(test.p)}`).join(", ") || ABSENT,
      [...confirmations].filter((text) => text !== "").join(", ") || ABSENT
    ];
  });
  if (rows.length === 0) return "";
  const note = "p is the chance of data this bad if the change sat on the allowed line: small is red, near 1 is green.";
  return `${markdownTable([header, ...rows], { align: ["l", "r", "r", "r", "r", "l", "l"] })}

${note}`;
}
function cellReasons({ comparison }) {
  const lines = comparison.cells.flatMap((result) => {
    const texts = [...result.reasons, ...result.tests.flatMap((test) => test.reasons)];
    const own = new Set(texts.map((reason) => sentence(escapeMarkdown(reason.text))));
    return own.size === 0 ? [] : [`- ${cellName(result, MARKDOWN)}: ${[...own].join(" ")}`];
  });
  return lines.join("\n");
}
function labelOf(metric, statistic) {
  if (metric === "min-qps") return "QPS limit";
  if (metric === "max-p99") return `${statistic} limit`;
  return statistic === "qps" ? "QPS" : statistic;
}
function pText(p) {
  if (p === null) return ABSENT;
  if (p < 1e-4) return "&lt; 0.0001";
  return p > 0.9999 ? "&gt; 0.9999" : p.toFixed(4);
}
function strikes({ comparison }) {
  const { disturbed } = comparison;
  if (disturbed === 0) return struckSlots(comparison);
  return `${struckSlots(comparison)}

${plural(disturbed, "round")} had others on our cores, both versions alike, and counted.`;
}
function struckSlots(comparison) {
  const entries = Object.entries(comparison.struck);
  const total2 = entries.reduce((sum, [, count]) => sum + count, 0);
  if (total2 === 0) return `No slot was struck.`;
  const share2 = percent(total2 / Math.max(1, comparison.slots));
  const rows = entries.sort((a, b) => b[1] - a[1]).map(([reason, count]) => [reason, STRIKE_LABEL[reason], decimal(count)]);
  return `${decimal(total2)} of ${plural(comparison.slots, "slot")} (${share2}) were struck:

${markdownTable([["reason", "meaning", "slots"], ...rows], { align: ["l", "l", "r"] })}`;
}
function times({ comparison }) {
  const { load, restart, warmUp, k6Start, pilot, total: total2, wall } = comparison.times;
  if (!(wall > 0)) return "";
  const rest = Math.max(0, total2 - load - restart - warmUp - k6Start);
  const outside = Math.max(0, wall - pilot - total2);
  const parts = [
    ["under load", load],
    ["warm-up", warmUp],
    ["restarts", restart],
    ["starting k6", k6Start],
    ["pilot", pilot],
    ["between slots and the rest of the blocks", rest],
    ["set-up, census, tear-down", outside]
  ];
  const rows = parts.filter(([, seconds]) => seconds > 0).map(([name, seconds]) => [name, duration(seconds), percent(Math.round(seconds / wall * 100) / 100)]);
  return `Where ${duration(wall)} went:

${markdownTable([["", "time", "share"], ...rows], { align: ["l", "r", "r"] })}`;
}
function yardstick({ comparison }) {
  if (comparison.yardstick === null) return "";
  const { medianMs, spread } = comparison.yardstick;
  return `Yardstick (a fixed piece of CPU work, timed in every block): median ${ms(medianMs)} ms, slowest ${percent(spread)} above fastest.`;
}
function notes({ comparison }) {
  const lowered = comparison.cells.filter((result) => result.statisticNote !== null);
  const lines = lowered.map(
    (result) => `- ${cellName(result, MARKDOWN)} is judged by ${result.statistic}: ${escapeMarkdown(result.statisticNote ?? "")}`
  );
  const waits = comparison.cells.flatMap((result) => ARMS.map((arm) => result.figures[arm]?.throttledPeriods ?? 0));
  const throttled = waits.reduce((sum, count) => sum + count, 0);
  if (throttled > 0)
    lines.push(
      `- A CPU quota stopped the service in ${plural(throttled, "period")}: its latencies show the quota, not only the code.`
    );
  const failing = comparison.cells.filter((result) => ARMS.some((arm) => (result.figures[arm]?.errors ?? 0) > 0));
  if (failing.length > 0)
    lines.push(`- Requests failed in ${list(failing.slice(0, 5).map((result) => cellName(result, MARKDOWN)))}.`);
  return lines.join("\n");
}
function damaged(lines) {
  if (lines.length === 0) return "";
  const shown = lines.slice(0, 20).map((line) => `- ${sentence(escapeMarkdown(line))}`);
  if (lines.length > shown.length) shown.push(`- ${lines.length - shown.length} more.`);
  return `${plural(lines.length, "line")} of samples.ndjson could not be used:

${shown.join("\n")}`;
}

// scripts/src/report/edits.ts
var ROWS_SHOWN = 20;
function editsTable({ edits = [] }) {
  if (edits.length === 0) return "";
  const rows = edits.slice(0, ROWS_SHOWN).map(({ key, base, head }) => [key, base ?? ABSENT, head ?? ABSENT].map(escapeMarkdown));
  const more = edits.length > ROWS_SHOWN ? `${edits.length - ROWS_SHOWN} more.` : "";
  const table2 = markdownTable([["setting", "base: this counts", "head"], ...rows]);
  const title = `The change edits the configuration: judged by the base's (${plural(edits.length, "difference")})`;
  return fold(title, [table2, more]);
}
function editsSentence({ edits = [] }, ink) {
  if (edits.length === 0) return "";
  const shown = edits.slice(0, 2).map(({ key, base, head }) => `${ink.text(key)} (${ink.text(base ?? ABSENT)} → ${ink.text(head ?? ABSENT)})`);
  const more = edits.length > 2 ? ` and ${edits.length - 2} more` : "";
  return `The head changes ${shown.join(", ")}${more} in its configuration: judged by the base's.`;
}

// scripts/src/report/settle.ts
var FIRST_LOOK = 6;
function roundsToDecide(test) {
  const { estimate } = test;
  if (estimate === null) return null;
  const line = Math.log(test.line);
  const middle = Math.log(estimate.ratio);
  const distance = Math.abs(middle - line);
  const towards = middle > line ? middle - Math.log(estimate.low) : Math.log(estimate.high) - middle;
  if (!(distance > 0) || !Number.isFinite(towards)) return Number.POSITIVE_INFINITY;
  return Math.max(FIRST_LOOK, estimate.n, Math.ceil(estimate.n * (towards / distance) ** 2));
}
function struckShare(struck, slots) {
  const sum = Object.values(struck).reduce((total2, count) => total2 + count, 0);
  return slots === 0 ? 0 : sum / slots;
}
var NOISY = 0.15;
function whatWouldSettle(result, comparison, plan) {
  const test = decidingTest(result.tests);
  if (test === null) return "";
  if (test.confirmation === "no-time") return "A larger budget would leave time to confirm it.";
  if (test.confirmation === "not-confirmed") {
    return "Another run, best on a quieter machine, would tell.";
  }
  const cap = plan.config.measure.maxRounds;
  const noisy = struckShare(result.struck, result.slots) >= NOISY;
  if (test.estimate === null) {
    const had = `It has ${result.rounds} of the ${FIRST_LOOK} rounds that a verdict needs`;
    return noisy ? `${had}: a quieter machine would settle it.` : `${had}: ${moreTime(FIRST_LOOK - result.rounds, comparison, plan)}.`;
  }
  const needed = roundsToDecide(test) ?? Number.POSITIVE_INFINITY;
  if (needed <= cap) {
    return `About ${Math.max(1, needed - test.estimate.n)} more rounds should settle it: ${moreTime(needed - test.estimate.n, comparison, plan)}.`;
  }
  const far = needed > 10 * cap ? `more than ${decimal(10 * cap)}` : `about ${decimal(needed)}`;
  const beyond = `At this noise a verdict would take ${far} rounds, and ${cap} are the most that are made`;
  const wider = direction(test) === 1 ? "a wider max-qps-drop" : "a wider max-p99-rise";
  return `${beyond}: ${noisy ? "a quieter machine" : "a quieter machine, longer slots"} or ${wider} than ${percent(test.line - 1)} would settle it.`;
}
function moreTime(rounds, comparison, plan) {
  const perBlock = comparison.blocks === 0 ? 0 : comparison.times.total / comparison.blocks;
  if (!(perBlock > 0)) return "a larger budget would settle it";
  const seconds = Math.max(1, rounds) * perBlock;
  const budget = Math.ceil((plan.config.measure.budgetSeconds + seconds) / 60);
  const hint = comparison.stop?.reason === "budget" ? ` (\`budget: ${budget}m\`)` : "";
  return `some ${duration(Math.ceil(seconds / 10) * 10)} more${hint}`;
}

// scripts/src/report/sentences.ts
var share = (ratio) => ratio - 1;
function between(test, less, more) {
  if (test.estimate === null) return "";
  const low = share(test.estimate.low);
  const high = share(test.estimate.high);
  const side = (value) => value < 0 ? less : more;
  if (side(low) !== side(high)) return `between ${percentMeasured(low)} ${less} and ${percentMeasured(high)} ${more}`;
  const [near, far] = Math.abs(low) < Math.abs(high) ? [low, high] : [high, low];
  return `between ${percentMeasured(near)} and ${percentMeasured(far)} ${side(low)}`;
}
function finding(test, ink) {
  const { estimate, metric, statistic, limit } = test;
  if (estimate === null) return "has too few rounds for an estimate";
  const change = share(estimate.ratio);
  const by = percentMeasured(change);
  switch (metric) {
    case "qps":
    case "overall-qps": {
      const what = ink.strong(`${by} ${change < 0 ? "fewer" : "more"} requests per second`);
      return `${metric === "qps" ? "answers" : "answer"} ${what} (${between(test, "fewer", "more")})`;
    }
    case "latency": {
      const what = ink.strong(`${by} ${change < 0 ? "lower" : "higher"} ${statistic}`);
      return `has a ${what} (${between(test, "lower", "higher")})`;
    }
    case "min-qps": {
      const what = ink.strong(`${qps(test.head)} requests per second where ${qps(limit)} is the least allowed`);
      return `answers ${what} (${between(test, "below", "above")} the limit)`;
    }
    case "max-p99": {
      const what = ink.strong(`a ${statistic} of ${ms(test.head)} ms where ${ms(limit)} ms is the most allowed`);
      return `has ${what} (${between(test, "below", "above")} the limit)`;
    }
    default:
      return assertNever(metric);
  }
}
function confirmed(tests) {
  const phrases = [...new Set(tests.map((test) => confirmationPhrase(test.confirmation)))].filter(
    (text) => text !== ""
  );
  return phrases.length === 0 ? "" : `, ${list(phrases)}`;
}
function badCell(result, comparison, ink) {
  const red = result.tests.filter((test) => test.verdict === "regression");
  const found = red.length > 0 ? list(red.map((test) => finding(test, ink))) + confirmed(red) : "does not work";
  const reasons2 = red.length > 0 ? [] : result.reasons.map((reason) => sentence(ink.text(reason.text)));
  const own = comparison.census.filter((difference) => difference.scenario === result.cell.scenario);
  return [`${cellName(result, ink)} ${found}.`, ...reasons2, explainCensus(own, ink)].filter((text) => text !== "").join(" ");
}
function cellSentence(result, input, ink) {
  const { verdict } = result;
  if (verdict === "regression" || verdict === "error") return badCell(result, input.comparison, ink);
  return verdict === "inconclusive" ? undecidedCell(result, input, ink) : "";
}
function overallSentence(comparison, ink) {
  const { overall } = comparison;
  if (overall === null) return "";
  const subject = `All ${unit(comparison)}s together`;
  if (overall.estimate === null) return `${subject} had too few complete rounds for an estimate.`;
  const closing = overallClosing(overall, `the allowed ${percent(share(overall.line))}`);
  return `${subject} ${finding(overall, ink)}: ${closing}${confirmed([overall])}.`;
}
function overallDecides({ overall }) {
  return overall !== null && (overall.verdict === "regression" || overall.confirmation !== null);
}
function overallClosing({ verdict, confirmation }, allowed) {
  if (verdict === "pass") return `within ${allowed}`;
  if (verdict === "regression" || confirmation !== null) return `more than ${allowed}`;
  return `undecided against ${allowed}, which holds nothing back`;
}
var SENTENCES = 5;
function decidingLines(input, ink) {
  const { comparison } = input;
  switch (comparison.verdict) {
    case "pass":
      return [passLine(input, ink)];
    case "regression":
      return redLines(input, ink);
    case "error":
      return some(worstFirst(cellsOf(comparison, "error")), comparison, ink);
    case "inconclusive":
      return undecidedLines(input, ink);
    default:
      return assertNever(comparison.verdict);
  }
}
function passLine({ comparison, census }, ink) {
  const [tightest] = comparison.cells.flatMap((result) => result.tests.map((test) => ({ result, test, room: worstRoom(test) }))).filter((entry) => entry.room !== null && !isLimit(entry.test)).sort((a, b) => (a.room ?? 0) - (b.room ?? 0));
  const parts = [];
  if (tightest?.test.estimate) {
    const { test, result } = tightest;
    const { ratio, low, high } = tightest.test.estimate;
    const name = test.metric === "qps" ? "QPS" : test.statistic;
    const range = `between ${signedPercent(share(low))} and ${signedPercent(share(high))}`;
    parts.push(
      `Tightest: ${cellName(result, ink)}, ${name} ${ink.strong(signedPercent(share(ratio)))} (${range}; allowed ${margin(share(test.line))}).`
    );
  }
  if (comparison.sameSource) parts.push("Both arms are the same source: any difference is noise.");
  parts.push(...censusLines(comparison, null, ink));
  if (census !== null && comparison.census.length === 0) parts.push("Same work per request.");
  parts.push(`${roundsPhrase(comparison)}, ${duration(comparison.times.wall)}.`);
  return parts.join(" ");
}
function roundsPhrase(comparison) {
  const rounds = judged(comparison).map((result) => result.rounds);
  if (rounds.length === 0) return "0 rounds";
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  return least === most ? plural(most, "round") : `${least} to ${plural(most, "round")}`;
}
function censusLines(comparison, except, ink) {
  const scenarios = /* @__PURE__ */ new Map();
  for (const difference of comparison.census) {
    if (isClear(difference))
      scenarios.set(difference.scenario, [...scenarios.get(difference.scenario) ?? [], difference]);
  }
  const told = except === null ? "" : explainCensus(scenarios.get(except) ?? [], ink);
  const groups = /* @__PURE__ */ new Map();
  for (const [scenario, differences] of scenarios) {
    if (scenario === except) continue;
    const text = explainCensus(differences, ink);
    groups.set(text, [...groups.get(text) ?? [], `“${ink.text(scenario)}”`]);
  }
  return [...groups].slice(0, SENTENCES).map(([text, names]) => {
    const shown = names.length > SENTENCES ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
    if (text === told) return `The same holds for ${list(shown)}.`;
    return `${list(shown)}: ${text.replace(/^It/, names.length === 1 ? "it" : "each")}`;
  });
}
function redLines(input, ink) {
  const { comparison } = input;
  const [worst] = worstFirst(cellsOf(comparison, "regression", "error"));
  const census = censusLines(comparison, worst?.cell.scenario ?? null, ink);
  const lines = [];
  if (worst !== void 0) {
    const same = census[0]?.startsWith("The same") ? census.splice(0, 1) : [];
    lines.push([badCell(worst, comparison, ink), ...same].join(" "));
  }
  if (overallDecides(comparison)) lines.push(overallSentence(comparison, ink));
  lines.push(...census);
  if (comparison.sameSource) {
    lines.push("Both arms are the same source: this difference is not in the code. Look at the conditions below.");
  }
  const open = worstFirst(cellsOf(comparison, "inconclusive")).slice(0, 2);
  return [...lines, ...open.map((result) => undecidedCell(result, input, ink)), ...noiseLines(comparison)];
}
function some(cells, comparison, ink) {
  const lines = cells.slice(0, SENTENCES).map((result) => badCell(result, comparison, ink));
  const more = cells.length - SENTENCES;
  return more > 0 ? [...lines, `${more} more: see the table.`] : lines;
}
function undecidedLines(input, ink) {
  const { comparison, plan } = input;
  const told = comparison.blocks === 0 ? 1 : 0;
  const lines = ownReasons(comparison).slice(told).map((reason) => sentence(ink.text(reason.text)));
  if (overallDecides(comparison)) lines.push(overallSentence(comparison, ink));
  const open = worstFirst(cellsOf(comparison, "inconclusive"));
  const early = open.filter(
    (result) => result.reasons.length === 0 && result.tests.every((test) => test.estimate === null)
  );
  if (early.length > 1 && comparison.blocks > 0) {
    const most = Math.max(...early.map((result) => result.rounds));
    const time = moreTime(FIRST_LOOK - most, comparison, plan);
    lines.push(
      `${plural(early.length, unit(comparison))} ${early.length === open.length ? "" : "also "}had at most ${plural(most, "round")}, and no verdict is possible before ${FIRST_LOOK}: that takes ${time}.`
    );
  }
  const single = early.length > 1 || comparison.blocks === 0 ? open.filter((result) => !early.includes(result)) : open;
  lines.push(...single.slice(0, SENTENCES).map((result) => undecidedCell(result, input, ink)));
  if (single.length > SENTENCES) lines.push(`${single.length - SENTENCES} more are undecided: see the table.`);
  lines.push(...noiseLines(comparison), ...censusLines(comparison, null, ink));
  return [...new Set(lines)];
}
function undecidedCell(result, { comparison, plan }, ink) {
  const test = decidingTest(result.tests);
  const reasons2 = furtherReasons(result, test).map((reason) => sentence(ink.text(reason.text)));
  const parts = [whatFits(result, test, ink), ...new Set(reasons2), whatWouldSettle(result, comparison, plan)];
  return parts.filter((text) => text !== "").join(" ");
}
function whatFits(result, test, ink) {
  const name = cellName(result, ink);
  if (!test?.estimate) return `${name} is undecided.`;
  const { low, high } = test.estimate;
  const what = test.statistic === "qps" ? "QPS" : test.statistic;
  const range = ink.strong(`${signedPercent(share(low))} to ${signedPercent(share(high))}`);
  const line = test.limit === null ? `allowed ${margin(share(test.line))}` : "from its absolute limit";
  if (test.confirmation === null || test.confirmation === "confirmed") {
    return `${name} is undecided: the data fit any ${what} change from ${range} (${line}).`;
  }
  return `${name} looked worse than allowed (${what} ${range}; ${line}), but ${unconfirmed(test.confirmation)}.`;
}
function unconfirmed(confirmation) {
  return confirmation === "no-time" ? confirmationPhrase(confirmation) : "fresh replicas did not show it again";
}
function noiseLines(comparison) {
  const lines = [];
  const [first] = Object.entries(comparison.struck).sort((a, b) => b[1] - a[1]);
  if (first !== void 0 && struckShare(comparison.struck, comparison.slots) >= NOISY) {
    const [reason, count] = first;
    lines.push(
      `In ${decimal(count)} of ${plural(comparison.slots, "slot")} ${STRIKE_LABEL[reason]}: these count for nothing and were measured again where time allowed.`
    );
  }
  const rounds = comparison.slots / 2;
  if (comparison.disturbed >= NOISY * rounds && comparison.disturbed > 0) {
    lines.push(
      `In ${plural(comparison.disturbed, "round")} something else used our cores: both versions alike, as they take turns, but the figures scatter more and the speeds shown are lower than on a quiet machine.`
    );
  }
  return lines;
}

// scripts/src/report/markdown.ts
var ROWS_SHOWN2 = 12;
function renderMarkdown(input) {
  return joinParts(reportParts(input));
}
function joinParts(parts) {
  return `${parts.map(({ text }) => text).join("\n\n")}
`;
}
function reportParts(input) {
  const { comparison, environment } = input;
  const green = comparison.verdict === "pass";
  const rows = worstFirst(comparison.cells);
  const warnings = (environment?.warnings ?? []).map((text) => `> ${sentence(escapeMarkdown(text))}`);
  const margins = footer(comparison);
  const parts = [
    { name: "headline", text: `## ${MARK[stateOf(comparison.verdict)]} ${headlineText(comparison, MARKDOWN)}` },
    { name: "sentences", text: paragraphs(decidingLines(input, MARKDOWN)) }
  ];
  if (!green) {
    const [table2 = "", more = ""] = openTable(comparison, rows);
    parts.push({ name: "table", text: table2 }, { name: "more rows", text: more });
    parts.push({ name: "limits", text: limitsTable(comparison) });
  }
  parts.push({ name: "warnings", text: warnings.join("\n>\n") });
  parts.push({ name: "edited configuration", text: editsTable(comparison) });
  if (!green) parts.push({ name: "margins", text: margins });
  if (green) {
    const body = [cellTable(comparison, rows), limitsTable(comparison), margins];
    parts.push({ name: "table", text: fold(`All ${plural(rows.length, unit(comparison))}`, body) });
  }
  return [...parts, ...detailParts(input)].filter(({ text }) => text !== "");
}
function paragraphs(lines) {
  const [first, ...rest] = lines;
  if (first === void 0) return "";
  return rest.length === 0 ? first : [first, rest.map((line) => `- ${line}`).join("\n")].join("\n\n");
}
function openTable(comparison, rows) {
  if (rows.length <= ROWS_SHOWN2) return [cellTable(comparison, rows)];
  const notable = rows.filter((result) => result.verdict !== "pass");
  const shown = notable.slice(0, ROWS_SHOWN2);
  const rest = rows.filter((result) => !shown.includes(result));
  const passed = cellsOf(comparison, "pass").length;
  const title = passed === rest.length ? `${rest.length} more, all within what is allowed` : `${rest.length} more`;
  return [shown.length > 0 ? cellTable(comparison, shown) : "", fold(title, [cellTable(comparison, rest)])];
}
var strongIf = (condition, text) => condition ? `**${text}**` : text;
function changeCells(test) {
  if (test === null) return [ABSENT, ABSENT];
  const { estimate } = test;
  if (estimate === null) return [ABSENT, "too few rounds"];
  const range = `${signed(estimate.low - 1)} … ${signed(estimate.high - 1)}`;
  return [strongIf(test.verdict === "regression", signedPercent(estimate.ratio - 1)), range];
}
function pair(values, format) {
  const [base, head] = values;
  return base == null && head == null ? ABSENT : `${format(base)} → ${format(head)}`;
}
function cellTable(comparison, rows) {
  const statistics = new Set(comparison.cells.map((result) => result.statistic));
  const [only] = statistics;
  const latency = statistics.size === 1 ? only : "latency";
  const fresh = rows.some((result) => result.verdict === "new" || result.verdict === "shown");
  const header = ["", "scenario", "load", "QPS change", "between, %", "base → head"];
  header.push(`${latency} change`, "between, %", "base → head, ms");
  const body = rows.map((result) => {
    const throughput = testOf(result, "qps");
    const tail = testOf(result, "latency");
    const { base, head } = result.figures;
    const { statistic } = result;
    const prefix = statistics.size === 1 ? "" : `${statistic} `;
    const name = escapeMarkdown(result.cell.scenario);
    return [
      MARK[stateOf(result.verdict)],
      fresh && stateOf(result.verdict) === "note" ? `${name} (${result.verdict === "new" ? "new" : "shown only"})` : name,
      loadLabel(result),
      ...changeCells(throughput),
      pair([throughput?.base ?? base?.qps, throughput?.head ?? head?.qps], qps),
      ...changeCells(tail),
      prefix + pair([tail?.base ?? base?.latencyMs[statistic], tail?.head ?? head?.latencyMs[statistic]], ms)
    ];
  });
  return markdownTable([header, ...body], { align: ["l", "l", "r", "r", "c", "r", "r", "c", "r"] });
}
function limitsTable(comparison) {
  const rows = worstFirst(comparison.cells).flatMap(
    (result) => result.tests.filter(isLimit).map((test) => {
      const throughput = test.metric === "min-qps";
      const format = throughput ? qps : ms;
      const what = throughput ? `QPS at least ${format(test.limit)}` : `${test.statistic} at most ${format(test.limit)} ms`;
      const [change, range] = changeCells(test);
      return [
        MARK[stateOf(test.verdict)],
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        what,
        format(test.head),
        change,
        range
      ];
    })
  );
  if (rows.length === 0) return "";
  const header = ["", "scenario", "load", "absolute limit", "head", "from the limit", "between, %"];
  return markdownTable([header, ...rows], { align: ["l", "l", "r", "l", "r", "r", "c"] });
}
function footer(comparison) {
  const parts = [];
  const allowed = allowedPhrase(comparison);
  if (allowed !== "") parts.push(`Allowed: ${allowed}.`);
  if (comparison.overall !== null) {
    parts.push(`All together: ${margin(comparison.overall.line - 1)} QPS.`);
  }
  if (comparison.tests > 0) {
    const sure = percent(1 - comparison.alpha);
    parts.push(
      `Red means surer than ${sure} over all ${plural(comparison.tests, "test")} together, and seen again on fresh replicas.`
    );
  }
  parts.push(`Measured in ${duration(comparison.times.wall)}, ${roundsPhrase(comparison)}.`);
  const overall = overallDecides(comparison) ? "" : overallSentence(comparison, MARKDOWN);
  return [overall, parts.join(" ")].filter((text) => text !== "").join("\n\n");
}

// scripts/src/report/style.ts
var CSS = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --soft: #59636e; --line: #d5dae0; --band: #f5f7f9; --focus: #0969da;
  --red: #c62f2f; --green: #1a7f42; --grey: #6e7781; --amber: #9a6700;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1116; --ink: #e3e8ee; --soft: #98a2ae; --line: #2e353e; --band: #161b22; --focus: #58a6ff;
    --red: #ff6a5e; --green: #4cc274; --grey: #98a2ae; --amber: #d9a62e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 1200px; margin: 0 auto; padding: 24px 20px 64px; }
h2 { font-size: clamp(1.3rem, 1rem + 1.6vw, 1.9rem); line-height: 1.25; margin: 8px 0 16px; padding-left: 14px; border-left: 5px solid var(--grey); text-wrap: balance; }
.pass h2 { border-color: var(--green); }
.regression h2, .error h2 { border-color: var(--red); }
.inconclusive h2 { border-color: var(--amber); }
p, ul { margin: 12px 0; max-width: 78ch; }
ul { padding-left: 22px; }
li { margin: 6px 0; }
a { color: var(--focus); }
code { font: 0.9em ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; background: var(--band); padding: 1px 5px; border-radius: 4px; }
blockquote { margin: 16px 0; padding: 8px 14px; border-left: 4px solid var(--amber); background: var(--band); border-radius: 0 6px 6px 0; }
blockquote p { margin: 4px 0; }
.quiet { color: var(--soft); }
.scroll { overflow-x: auto; margin: 16px 0; max-width: 100%; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
table { border-collapse: collapse; font-size: 0.875rem; line-height: 1.4; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; border-bottom: 1px solid var(--line); }
th:not([align]) { text-align: left; }
th, td { padding: 7px 12px 7px 0; white-space: nowrap; }
td { border-bottom: 1px solid var(--line); }
td:nth-child(-n+2):not([align="right"], .sign) { white-space: normal; min-width: 8.5em; max-width: 24em; overflow-wrap: break-word; }
td.sign { padding-right: 8px; }
td:nth-child(2):last-child { max-width: 60em; }
tr:last-child td { border-bottom: 0; }
details { border-top: 1px solid var(--line); padding: 4px 0; }
details:last-of-type { border-bottom: 1px solid var(--line); }
summary { cursor: pointer; padding: 10px 0; font-weight: 600; }
summary::marker { color: var(--soft); }
figure { margin: 28px 0; }
figcaption { font-weight: 600; margin-bottom: 4px; }
figure .scroll { margin: 4px 0; }
figure img { display: block; width: 100%; min-width: 680px; max-width: 1100px; height: auto; }
.mark { display: inline-flex; align-items: center; justify-content: center; width: 1.25em; height: 1.25em; border-radius: 50%; color: var(--paper); font-weight: 700; font-size: 0.8em; line-height: 1; vertical-align: 0.05em; }
h2 .mark { margin-right: 0.15em; }
.mark.pass { background: var(--green); } .mark.pass::before { content: "✓"; }
.mark.regression { background: var(--red); border-radius: 3px; } .mark.regression::before { content: "↓"; }
.mark.error { background: var(--red); border-radius: 3px; } .mark.error::before { content: "!"; }
.mark.inconclusive { border: 2px solid var(--amber); color: var(--amber); } .mark.inconclusive::before { content: "?"; }
.mark.note { border: 1px solid var(--line); color: var(--soft); } .mark.note::before { content: "·"; }
@media (max-width: 600px) {
  main { padding: 16px 14px 48px; }
  h2 { padding-left: 10px; }
  table { font-size: 0.8125rem; }
  th, td { padding-right: 9px; }
  td:nth-child(-n+2):not([align="right"], .sign) { min-width: 7.5em; max-width: 14em; overflow-wrap: anywhere; }
}
@media print { details { display: block; } .scroll { overflow: visible; } }
`;

// scripts/src/report/html.ts
var CHARTS = [
  { name: "qps", title: "QPS over load level" },
  { name: "rounds", title: "Change in every round, and the interval closing in" },
  { name: "latency", title: "Latency: mean and percentiles, ms" }
];
var POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
function renderHtml(input, charts) {
  const title = escapeMarkdown(`perf-gate: ${oneLine(headlineText(input.comparison))}`);
  const body = new ne({ gfm: true, async: false }).parse(renderMarkdown(input), { async: false });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${CSS}</style>
</head>
<body class="${input.comparison.verdict}">
<main>
${insertCharts(dress(body), charts)}</main>
</body>
</html>
`;
}
var MARK_LABEL = {
  [MARK.error]: "error",
  [MARK.regression]: "regression",
  [MARK.inconclusive]: "inconclusive",
  [MARK.pass]: "pass",
  [MARK.note]: "note"
};
function dress(html) {
  const marks = Object.keys(MARK_LABEL).join("|");
  return html.replaceAll("<table>", '<div class="scroll" tabindex="0" role="region" aria-label="table"><table>').replaceAll("</table>", "</table></div>").replace(new RegExp(`(<(?:td|h2)(?: [^>]*)?>)(${marks})`, "gu"), (_2, tag, mark) => {
    const label = MARK_LABEL[mark] ?? "";
    return `${tag.startsWith("<td") ? tag.replace("<td", '<td class="sign"') : tag}<span class="mark ${label}" role="img" aria-label="${label}"></span>`;
  });
}
function insertCharts(html, charts) {
  const figures2 = charts.map(figure).join("\n");
  const section = charts.length === 0 ? '<p class="quiet">No charts: they are drawn where jq and gnuplot are installed.</p>' : `<section class="charts" aria-label="charts">
${figures2}
</section>`;
  const at2 = html.indexOf("<details>");
  return at2 === -1 ? `${html}${section}
` : `${html.slice(0, at2)}${section}
${html.slice(at2)}`;
}
function figure({ name, title, svg }) {
  const text = escapeMarkdown(title);
  const source = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return `<figure id="chart-${escapeMarkdown(name)}"><figcaption>${text}</figcaption><div class="scroll" tabindex="0" role="region" aria-label="${text}"><img alt="${text}" src="${source}"></div></figure>`;
}

// scripts/src/report/terminal.ts
var import_picocolors = __toESM(require_picocolors(), 1);
var SIGN = { error: "!", regression: "✗", inconclusive: "?", pass: "✓", note: "·" };
var ROWS_SHOWN3 = 16;
function renderTerminal(input, { colour, width }) {
  const { comparison, environment } = input;
  const paint = import_picocolors.default.createColors(colour);
  const ink = { text: oneLine, strong: (safe) => paint.bold(safe) };
  const { verdict, word, rest } = headline(comparison);
  const lines = [...wrap(`${verdictPaint(paint, verdict)(paint.bold(word))}: ${rest}`, width, ""), ""];
  for (const line of decidingLines(input, ink)) lines.push(...wrap(line, width, "  "));
  if (lines.at(-1) !== "") lines.push("");
  const rows = worstFirst(comparison.cells);
  const passing = rows.filter((result) => result.verdict === "pass");
  const notable = rows.length - passing.length;
  const shown = [...rows.slice(0, notable), ...passing.slice(0, Math.max(0, ROWS_SHOWN3 - notable))];
  if (shown.length > 0) lines.push(...table(shown, width, paint));
  const hidden = rows.length - shown.length;
  if (hidden > 0) lines.push(`  ${hidden} more within what is allowed`);
  if (shown.length > 0) lines.push("");
  const overall = overallDecides(comparison) ? "" : overallSentence(comparison, ink);
  if (overall !== "") lines.push(...wrap(overall, width, "  "));
  const allowed = allowedPhrase(comparison);
  if (allowed !== "") lines.push(...wrap(`Allowed: ${allowed}. "Between" is what the data allow.`, width, "  "));
  const warnings = (environment?.warnings ?? []).map((warning) => sentence(oneLine(warning)));
  for (const note of [editsSentence(comparison, ink), ...warnings]) {
    if (note !== "") lines.push(...wrap(`${paint.yellow("note:")} ${note}`, width, "  "));
  }
  lines.push(...wrap("Full report: report.html, report.md, results.csv in the work directory.", width, "  "));
  return `${lines.join("\n")}
`;
}
function verdictPaint(paint, verdict) {
  return statePaint(paint, stateOf(verdict));
}
function statePaint(paint, state) {
  switch (state) {
    case "error":
    case "regression":
      return paint.red;
    case "inconclusive":
      return paint.yellow;
    case "pass":
      return paint.green;
    case "note":
      return paint.dim;
  }
}
function table(rows, width, paint) {
  const statistics = new Set(rows.map((result) => result.statistic));
  const mixed = statistics.size > 1;
  const names = rows.map((result) => oneLine(result.cell.scenario));
  const loads = { title: "load", right: true, cells: rows.map(loadLabel) };
  const throughput = rows.map((result) => figures(result, testOf(result, "qps"), "qps", mixed));
  const latency = rows.map((result) => figures(result, testOf(result, "latency"), "latency", mixed));
  const signs = rows.map((result) => {
    const state = stateOf(result.verdict);
    return statePaint(paint, state)(SIGN[state]);
  });
  const room = (columns2) => width - 2 - total(columns2) - 2 * columns2.length;
  const wide = [
    loads,
    ...columns("QPS", throughput),
    ...columns(mixed ? "latency ms" : `${[...statistics][0]} ms`, latency)
  ];
  const longest = Math.max(...names.map(textWidth));
  const space = room(wide);
  if (space >= Math.min(24, longest)) {
    const first2 = { title: "scenario", right: false, cells: names.map((name) => cut(name, space)) };
    return lay([first2, ...wide], signs, paint, rows);
  }
  const metric = {
    title: "",
    right: false,
    cells: rows.flatMap((result) => ["QPS", `${result.statistic} ms`])
  };
  const both = rows.flatMap((_2, row) => [throughput[row] ?? [], latency[row] ?? []]);
  const stacked = [
    { ...loads, cells: loads.cells.flatMap((load) => [load, ""]) },
    metric,
    ...columns("base → head", both)
  ];
  const left = Math.max(8, room(stacked));
  const first = { title: "scenario", right: false, cells: names.flatMap((name) => [cut(name, left), ""]) };
  const twice = signs.flatMap((sign) => [sign, " "]);
  return lay(
    [first, ...stacked],
    twice,
    paint,
    rows.flatMap((result) => [result, result])
  );
}
function figures(result, test, metric, mixed) {
  const { base, head } = result.figures;
  const format = metric === "qps" ? qps : ms;
  const value = (arm) => metric === "qps" ? arm?.qps : arm?.latencyMs[result.statistic];
  const from = test?.base ?? value(base);
  const to = test?.head ?? value(head);
  const prefix = metric === "latency" && mixed ? `${result.statistic} ` : "";
  const pair2 = from == null && to == null ? ABSENT : `${prefix}${format(from)} → ${format(to)}`;
  if (test === null) return [pair2, ABSENT, result.tests.length === 0 ? "not judged" : "not gated"];
  if (test.estimate === null) return [pair2, ABSENT, "too few rounds"];
  const { ratio, low, high } = test.estimate;
  return [pair2, `${signed(ratio - 1)}%`, `${signed(low - 1)} … ${signed(high - 1)}`];
}
function columns(title, rows) {
  return [title, "change", "between, %"].map((name, at2) => ({
    title: name,
    right: true,
    cells: rows.map((row) => row[at2] ?? "")
  }));
}
var widthOf = (column) => Math.max(textWidth(column.title), ...column.cells.map(textWidth));
var total = (list2) => list2.reduce((sum, column) => sum + widthOf(column), 0);
function lay(list2, signs, paint, rows) {
  const widths = list2.map(widthOf);
  const row = (cells) => cells.map((cell, at2) => pad(cell, widths[at2] ?? 0, list2[at2]?.right ?? false)).join("  ").trimEnd();
  const header = `  ${paint.dim(row(list2.map((column) => column.title)))}`;
  const body = signs.map((sign, at2) => {
    const line = row(list2.map((column) => column.cells[at2] ?? ""));
    return `${sign} ${rows[at2]?.verdict === "regression" ? paint.bold(line) : line}`.trimEnd();
  });
  return [header, ...body];
}
var WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
var COLOUR = /\u001b\[\d+m/g;
var NARROW = /^[\u0020-\u007e\u00a0-\u02ff\u2010-\u2027\u2190-\u22ff]*$/;
function textWidth(text) {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const letter of text.replace(COLOUR, "")) width += WIDE.test(letter) ? 2 : new RegExp("\\p{M}", "u").test(letter) ? 0 : 1;
  return width;
}
function pad(text, width, right) {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return right ? space + text : text + space;
}
function cut(text, width) {
  if (textWidth(text) <= width) return text;
  let kept = "";
  for (const letter of text) {
    if (textWidth(kept + letter) + 1 > width) break;
    kept += letter;
  }
  return `${kept}…`;
}
function wrap(text, width, indent) {
  const room = Math.max(20, width - indent.length);
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(indent + line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    while (textWidth(line) > room) {
      const letters = [...line];
      lines.push(indent + letters.slice(0, room).join(""));
      line = letters.slice(room).join("");
    }
  }
  if (line !== "") lines.push(indent + line);
  return lines;
}

// scripts/src/phases/report.ts
var NO_CHARTS = 3;
function reportPhase(work, home, terminal) {
  const input = readReportInput(work);
  const { charts, note } = drawCharts(work, home);
  work.write("report.md", renderMarkdown(input));
  work.write("results.csv", renderCsv(input));
  work.write("report.html", renderHtml(input, charts));
  return { text: renderTerminal(input, terminal), chartsNote: note };
}
function readReportInput(work) {
  const plan = work.readPlan();
  return {
    comparison: work.readComparison(),
    plan,
    environment: work.readEnvironment(plan),
    census: work.readCensus(plan)
  };
}
function drawCharts(work, home) {
  const script = join(home, "scripts", "charts", "charts.sh");
  rmSync(work.file("charts"), { recursive: true, force: true });
  const directory = work.directory("charts");
  const drawn = spawnSync(script, [work.file("comparison.json"), directory], { encoding: "utf8", timeout: 12e4 });
  if (drawn.status !== 0) {
    const why = drawn.stderr?.trim() || drawn.error?.message || `charts.sh ended with ${drawn.status}`;
    return { charts: [], note: drawn.status === NO_CHARTS ? why : `charts could not be drawn: ${why}` };
  }
  const charts = CHARTS.flatMap(({ name, title }) => {
    const file = join(directory, `${name}.svg`);
    return existsSync(file) ? [{ name, title, svg: readFileSync(file, "utf8") }] : [];
  });
  return { charts, note: null };
}

export {
  cellSentence,
  joinParts,
  reportParts,
  reportPhase,
  readReportInput
};

"""What a script reports to the server that runs it, and a client of that server.

Each report is one line on the output, `::{...}::`. The interface is that of the package `kestra`; if a task installs that
package, it replaces this module.
"""
import json
import logging
import os
import sys
import time

FINAL_STATES = {"SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED", "SKIPPED"}
RETRIED_CODES = {408, 429, 500, 502, 503, 504}
MAX_REQUESTS = 5
REQUEST_SECONDS = 60


class Kestra:
    """Outputs, metrics and log lines of the task."""

    _logger = None

    @staticmethod
    def format(map_):
        """The line that reports `map_`."""
        return "::" + json.dumps(map_, default=str) + "::"

    @staticmethod
    def send(map_):
        """Reports `map_`: an object with `outputs`, `metrics` or `logs`."""
        print(Kestra.format(map_), flush=True)

    _send = send

    @staticmethod
    def outputs(map_):
        """Sets outputs of the task: `{{ outputs.<task>.vars.<name> }}`. Later values replace earlier ones."""
        Kestra.send({"outputs": map_})

    @staticmethod
    def assets(map_):
        """Reports an asset."""
        Kestra.send({"assets": map_})

    @staticmethod
    def counter(name, value, tags=None):
        """Adds to a counter."""
        Kestra._metric(name, "counter", value, tags)

    @staticmethod
    def gauge(name, value, tags=None):
        """Reports a value that can rise and fall."""
        Kestra._metric(name, "gauge", value, tags)

    @staticmethod
    def timer(name, duration, tags=None):
        """Reports a duration in seconds, or that of a call of `duration`; returns the result of that call."""
        if not callable(duration):
            Kestra._metric(name, "timer", duration, tags)
            return None
        start = time.perf_counter()
        try:
            return duration()
        finally:
            Kestra._metric(name, "timer", time.perf_counter() - start, tags)

    @staticmethod
    def _metric(name, type_, value, tags):
        Kestra.send({"metrics": [{"name": name, "type": type_, "value": value, "tags": tags or {}}]})

    @staticmethod
    def logger():
        """A logger whose lines have their level in the log of the task."""
        if Kestra._logger is None:
            logger = logging.getLogger("Kestra")
            logger.setLevel(logging.DEBUG)
            logger.propagate = False
            logger.addHandler(_Handler())
            Kestra._logger = logger
        return Kestra._logger

    @staticmethod
    def read(path):
        """The records of an Ion file as a list. Needs the package `amazon.ion` unless each line is JSON."""
        try:
            from amazon.ion import simpleion
        except ImportError:
            with open(path, encoding="utf-8") as file:
                return _json_lines(path, file)
        with open(path, "rb") as file:
            return [dict(record) for record in simpleion.loads(file.read(), single_value=False)]


def _json_lines(path, lines):
    try:
        return [json.loads(line) for line in lines if line.strip()]
    except ValueError as error:
        message = "Cannot read %s: it is not JSON; install the package amazon.ion to read Ion" % path
        raise ValueError(message) from error


class _Handler(logging.Handler):
    """Writes records as reports to the present streams, which the script may have replaced.

    Warnings and errors go to the error stream, so that the task ends in WARNING, as with the package `kestra`.
    """

    def emit(self, record):
        try:
            stream = sys.stderr if record.levelno >= logging.WARNING else sys.stdout
            report = {"logs": [{"level": _level(record), "message": self.format(record)}]}
            print(Kestra.format(report), file=stream, flush=True)
        except Exception:
            self.handleError(record)


def _level(record):
    if record.levelno >= logging.ERROR:
        return "ERROR"
    if record.levelno >= logging.WARNING:
        return "WARN"
    if record.levelno >= logging.INFO:
        return "INFO"
    return "DEBUG" if record.levelno >= logging.DEBUG else "TRACE"


class FlowExecution:
    """An execution that `Flow.execute` started; `log` is set when it waited for the end."""

    def __init__(self, execution_id, status=None, log=None, error=None):
        self.execution_id = execution_id
        self.status = status
        self.log = log
        self.error = error

    def __repr__(self):
        return "FlowExecution(execution_id=%r, status=%r)" % (self.execution_id, self.status)


class FailedExponentialBackoff(Exception):
    """The server did not respond to repeated requests."""


class _Response:
    """A response, with the members of a response of `requests` that scripts use."""

    def __init__(self, status_code, body):
        self.status_code = status_code
        self.content = body

    @property
    def text(self):
        return self.content.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.text)


class Flow:
    """Starts flows of this server, or of the server at `KESTRA_HOSTNAME`.

    A server with a log-in needs KESTRA_API_TOKEN, or KESTRA_USER and KESTRA_PASSWORD, in `env` of the task.
    """

    def __init__(self, wait_for_completion=True, poll_interval=1, labels_from_inputs=False, tenant=None):
        self.wait_for_completion = wait_for_completion
        self.poll_interval = poll_interval
        self.labels_from_inputs = labels_from_inputs
        self.tenant = tenant or os.environ.get("KESTRA_TENANT") or "main"
        self.hostname = os.environ.get("KESTRA_HOSTNAME", "http://localhost:8080").rstrip("/")
        self.user = os.environ.get("KESTRA_USER")
        self.password = os.environ.get("KESTRA_PASSWORD")
        self.api_token = os.environ.get("KESTRA_API_TOKEN")

    def execute(self, namespace, flow, inputs=None):
        """Starts a flow and waits for its end, unless `wait_for_completion` is false.

        A tuple `(name, file, media type)` is the value of a FILE input. Returns a `FlowExecution`; a failed execution is
        returned, not raised.
        """
        inputs = inputs or {}
        path = "/executions/%s/%s" % (_quoted(namespace), _quoted(flow))
        if self.labels_from_inputs and inputs:
            path += "?" + "&".join("labels=" + _quoted("%s:%s" % item) for item in inputs.items())
        started = self._request("POST", path, inputs).json()
        if "id" not in started:
            raise RuntimeError("Cannot start the flow %s.%s: %s" % (namespace, flow, started))
        execution = FlowExecution(started["id"], "STARTED")
        if self.wait_for_completion:
            self._wait(execution)
        return execution

    def _wait(self, execution):
        while True:
            status = self.check_status(execution.execution_id).json()["state"]["current"]
            if status in FINAL_STATES:
                execution.status = status
                execution.log = self.get_logs(execution.execution_id).text
                return
            time.sleep(self.poll_interval)

    def check_status(self, execution_id):
        """The execution, as the response of the server."""
        return self._request("GET", "/executions/" + _quoted(execution_id))

    def get_logs(self, execution_id):
        """The log of an execution as text, as the response of the server."""
        return self._request("GET", "/logs/%s/download" % _quoted(execution_id))

    def _request(self, method, path, inputs=None):
        """Repeats a request that is refused for the moment, with growing pauses."""
        url = "%s/api/v1/%s%s" % (self.hostname, _quoted(self.tenant), path)
        body, headers = _form(inputs) if inputs else (None, {})
        headers.update(self._credentials())
        for attempt in range(MAX_REQUESTS):
            if attempt > 0:
                time.sleep(2 ** (attempt - 1))
            response = _send_request(method, url, body, headers)
            if response.status_code not in RETRIED_CODES:
                return _checked(response, method, url)
        raise FailedExponentialBackoff(
            "Cannot %s %s: status %d after %d requests" % (method, url, response.status_code, MAX_REQUESTS)
        )

    def _credentials(self):
        if self.api_token is not None:
            return {"Authorization": "Bearer " + self.api_token}
        if self.user is None or self.password is None:
            return {}
        import base64

        pair = "%s:%s" % (self.user, self.password)
        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


def _send_request(method, url, body, headers):
    import urllib.error
    import urllib.request

    request = urllib.request.Request(url, data=body, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=REQUEST_SECONDS) as response:
            return _Response(response.status, response.read())
    except urllib.error.HTTPError as error:
        with error:
            return _Response(error.code, error.read())


def _checked(response, method, url):
    if response.status_code < 400:
        return response
    if response.status_code == 401:
        raise PermissionError(
            "Cannot %s %s: the server requires credentials; set KESTRA_API_TOKEN, or KESTRA_USER and "
            "KESTRA_PASSWORD, in `env` of the task" % (method, url)
        )
    raise RuntimeError("Cannot %s %s: status %d: %s" % (method, url, response.status_code, response.text))


def _form(inputs):
    """The inputs as a multipart form."""
    import uuid

    boundary = uuid.uuid4().hex
    parts = []
    for name, value in inputs.items():
        disposition = 'form-data; name="%s"' % _parameter(name)
        media_type = None
        if isinstance(value, tuple):
            file_name, content, media_type = (tuple(value) + (None,))[:3]
            disposition += '; filename="%s"' % _parameter(file_name)
            value = content.read() if hasattr(content, "read") else content
        content = value if isinstance(value, bytes) else _text(value).encode()
        head = "--%s\r\nContent-Disposition: %s\r\n" % (boundary, disposition)
        if media_type:
            head += "Content-Type: %s\r\n" % media_type
        parts.append(head.encode() + b"\r\n" + content + b"\r\n")
    parts.append(("--%s--\r\n" % boundary).encode())
    return b"".join(parts), {"Content-Type": "multipart/form-data; boundary=" + boundary}


def _text(value):
    return json.dumps(value) if isinstance(value, (bool, dict, list)) or value is None else str(value)


def _parameter(text):
    return str(text).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _quoted(text):
    from urllib.parse import quote

    return quote(str(text), safe="")

// Original file: proto/tidegate/health/v1/health.proto


export interface CheckInput {
  'name'?: (string);
  'ok'?: (boolean);
  'message'?: (string);
  /**
   * true: a failure makes the process not ready; false: a failure is only a degradation
   */
  'required'?: (boolean);
  /**
   * the liveness probe lists the check, but does not fail with it
   */
  'onLivez'?: (boolean);
  'live'?: (boolean);
}

export interface Check {
  'name': (string);
  'ok': (boolean);
  'message': (string);
  /**
   * true: a failure makes the process not ready; false: a failure is only a degradation
   */
  'required': (boolean);
  /**
   * the liveness probe lists the check, but does not fail with it
   */
  'onLivez': (boolean);
  'live': (boolean);
}

! Laplace's equation by sections of arrays, for which the compiler takes temporaries in each iteration; how many there have been
! is told now and then.
subroutine laplace(w, u, results, m, n, steps, tolerance)
  implicit none
  integer, intent(in) :: m, n, steps
  double precision, intent(in) :: tolerance
  double precision, intent(inout) :: w(m, n), u(m, n), results(2)
  double precision :: change
  integer :: iterations, told

  iterations = 0
  told = 1
  change = tolerance
  do while (tolerance <= change .and. iterations < steps)
    u(1:m, 1:n) = w(1:m, 1:n)
    w(2:m - 1, 2:n - 1) = 0.25d0*(u(1:m - 2, 2:n - 1) + u(3:m, 2:n - 1) + u(2:m - 1, 1:n - 2) + u(2:m - 1, 3:n))
    change = maxval(abs(u(1:m, 1:n) - w(1:m, 1:n)))
    iterations = iterations + 1
    if (iterations == told) then
      print *, 'iterations:', iterations
      told = 2*told
    end if
  end do
  results(1) = change
  results(2) = iterations
end subroutine laplace

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: w(:), u(:), results(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(w, points(nx, ny, 1))
    call new_array(u, points(nx, ny, 1))
    call new_array(results, points(2, 1, 1))
    call laplace(w(1), u(1), results(1), nx, ny, steps, 0.1d0)
    call dump('w', w)
    call dump('u', u)
    call dump('results', results)
    call end_case()
  end do
end program main

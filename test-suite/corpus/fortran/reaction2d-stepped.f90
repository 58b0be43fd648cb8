! Two species in an object, whose step assigns whole allocatable components; how much there is, is told now and then.
module species
  implicit none
  type :: dish
    integer :: nx = 0, ny = 0
    double precision :: du = 0.16d0, dv = 0.08d0, feed = 0.06d0, kill = 0.062d0
    double precision, allocatable :: u(:, :), v(:, :), un(:, :), vn(:, :)
  contains
    procedure :: step
  end type dish
contains
  subroutine step(self)
    class(dish), intent(inout) :: self
    integer :: i, j
    double precision :: lu, lv, uvv

    do concurrent(j=2:self%ny - 1, i=2:self%nx - 1) local(lu, lv, uvv)
      lu = self%u(i - 1, j) + self%u(i + 1, j) + self%u(i, j - 1) + self%u(i, j + 1) - 4*self%u(i, j)
      lv = self%v(i - 1, j) + self%v(i + 1, j) + self%v(i, j - 1) + self%v(i, j + 1) - 4*self%v(i, j)
      uvv = self%u(i, j)*self%v(i, j)**2
      self%un(i, j) = self%u(i, j) + self%du*lu - uvv + self%feed*(1 - self%u(i, j))
      self%vn(i, j) = self%v(i, j) + self%dv*lv + uvv - (self%feed + self%kill)*self%v(i, j)
    end do
    self%u = self%un
    self%v = self%vn
  end subroutine step
end module species

program main
  use corpus
  use species
  implicit none
  integer :: nx, ny, nz, steps, t
  double precision, allocatable :: a(:), b(:)
  type(dish) :: one

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    one%nx = nx
    one%ny = ny
    one%u = reshape(a(1:points(nx, ny, 1)), [max(nx, 0), max(ny, 0)])
    one%v = reshape(b(1:points(nx, ny, 1)), [max(nx, 0), max(ny, 0)])
    one%un = one%u
    one%vn = one%v
    do t = 1, steps
      call one%step()
      if (mod(t, 40) == 0) write (*, '(a, i5)') 'step ', t
    end do
    a(1:points(nx, ny, 1)) = reshape(one%u, [points(nx, ny, 1)])
    b(1:points(nx, ny, 1)) = reshape(one%v, [points(nx, ny, 1)])
    call dump('u', a)
    call dump('v', b)
    call end_case()
  end do
end program main
